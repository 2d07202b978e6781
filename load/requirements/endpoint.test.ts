import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";

import { ControlClient } from "../../client/control-client.ts";
import { Transport } from "../../client/transport.ts";
import { rulesFor } from "../../client/request-rules.ts";
import { capabilities } from "../../openapi/capabilities.ts";
import { startReference } from "../../reference/start-reference.ts";
import { running } from "../../test/running-server.ts";
import { LoadEndpoint } from "./endpoint.ts";
import { LoadSession } from "./load-session.ts";

test.each(["status", "stream"] as const)(
  "%s reads a job that is there, though a purge has removed the one before",
  async (operation) => {
    const reference = await startReference();
    const { baseUrl, controlUrl = "" } = reference;
    const session = new LoadSession({ baseUrl, controlUrl, capabilities });
    onTestFinished(async () => {
      await session.close();
      await reference.stop();
    });
    // Without workers nobody takes the job, as when all are busy or none has started.
    const endpoint = await session.endpoint({ workers: 0 });
    expect((await endpoint.send(operation, 1)).words).toBe("1 × 200");
    expect((await endpoint.send("purge-queue", 1)).words).toBe("1 × 200");
    expect((await endpoint.send(operation, 2)).words).toBe("2 × 200");
  },
);

/** An endpoint on a virtual clock to which others submitted `times` jobs at this very moment. */
async function usedBefore(times: number, more = {}): Promise<LoadEndpoint> {
  const limits = { run: { requests: 5 } };
  const reference = await startReference({
    endpoints: [{ clock: "virtual", workers: 0, limits }],
  });
  const { baseUrl, controlUrl = "", endpointId, apiKey } = reference;
  const rules = rulesFor(reference);
  const transport = new Transport(rules, 8);
  const control = new ControlClient(transport, controlUrl);
  const access = { baseUrl, rules, endpointId, apiKey, control, isVirtual: true };
  const stranger = new LoadEndpoint({ ...access, isFresh: true });
  const endpoint = new LoadEndpoint({ ...access, isFresh: false, ...more });
  onTestFinished(async () => {
    stranger.close();
    endpoint.close();
    await transport.close();
    await reference.stop();
  });
  if (times > 0) await stranger.submit(times);
  return endpoint;
}

describe("jobs that a check needs, where run accepts five in a window", () => {
  test.each([5, 3])("are submitted once more after %i requests of others", async (times) => {
    const endpoint = await usedBefore(times);
    expect(new Set(await endpoint.submit(4)).size).toBe(4);
    expect(endpoint.nowMs).toBe(20_000);
    expect((await endpoint.health()).jobs.inQueue).toBe(times + 4);
  });

  test("are submitted no third time", async () => {
    const endpoint = await usedBefore(0);
    await expect(endpoint.submit(11)).rejects.toThrow("did not accept a job this check needs: 429");
    expect(endpoint.nowMs).toBe(20_000);
  });

  test.each([
    ["on a new endpoint", { isFresh: true }, 429],
    ["for another reason", { apiKey: "of-somebody-else" }, 401],
  ])("are not waited for where they are refused %s", async (_, more, status) => {
    const endpoint = await usedBefore(5, more);
    await expect(endpoint.submit(1)).rejects.toThrow(
      `did not accept a job this check needs: ${status}`,
    );
    expect(endpoint.nowMs).toBe(0);
  });

  test.each(["status", "stream", "cancel"] as const)(
    "%s has its job where a check makes it before, and waits for none in its midst",
    async (operation) => {
      const endpoint = await usedBefore(5);
      await expect(endpoint.send(operation, 1)).rejects.toThrow(
        "did not accept a job this check needs: 429",
      );
      expect(endpoint.nowMs).toBe(0);
      await (operation === "cancel" ? endpoint.ensureJobsToCancel(1) : endpoint.ensureJobToRead());
      expect((await endpoint.send(operation, 1)).words).toBe("1 × 200");
    },
  );
});

describe("a submission that a check needs, where connections are closed instead of an answer", () => {
  test.each([1, 2, 3])("is sent again after %i of them", async (dropped) => {
    const { endpoint, seen } = await dropping(dropped);
    expect(await endpoint.submit(2)).toHaveLength(2);
    expect({ seen: seen(), sent: endpoint.sent }).toEqual({ seen: dropped + 2, sent: dropped + 2 });
  });

  test("is sent three times at most", async () => {
    const { endpoint, seen } = await dropping(6);
    await expect(endpoint.submit(2)).rejects.toThrow("the connection was closed");
    expect(seen()).toBe(6);
  });
});

/** An endpoint of a server that closes the connection of each of the first `count` requests unanswered. */
async function dropping(
  count: number,
): Promise<{ readonly endpoint: LoadEndpoint; readonly seen: () => number }> {
  let seen = 0;
  const { baseUrl, stop } = await running(
    createServer((request, response) => {
      seen += 1;
      if (seen <= count) request.socket.destroy();
      else response.end(JSON.stringify({ id: `job-${seen}`, status: "IN_QUEUE" }));
    }),
  );
  const rules = rulesFor({ baseUrl });
  const own = { rules, endpointId: "e", apiKey: "k", control: undefined, isVirtual: false };
  const endpoint = new LoadEndpoint({ baseUrl, ...own, isFresh: true });
  onTestFinished(async () => {
    endpoint.close();
    await stop();
  });
  return { endpoint, seen: () => seen };
}
