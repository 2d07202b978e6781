import { describe, expect, test } from "vitest";

import { openTarget } from "./open-target.ts";
import { scriptedServer } from "../test/harness/scripted-server.ts";
import type { Script } from "../test/harness/scripted-server.ts";

const counts = { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 };
const health = { jobs: counts, workers: { idle: 1, running: 0 } };

/** Answers as endpoints a and b: both with the usual status, except b for the operations in `ofB`. */
function script(ofB: Readonly<Record<string, number>>, asked: string[] = []): Script {
  return (request) => {
    asked.push(request);
    const operation = ["health", "status", "run"].find((name) => request.includes(`/${name}`));
    const isOfB = request.includes("/v2/b/");
    const usual = { health: 200, status: 404, run: 400 }[operation ?? ""] ?? 404;
    return [(isOfB ? ofB[operation ?? ""] : undefined) ?? usual, health];
  };
}

async function open(server: Script, otherEndpointIds: readonly string[] = ["b"]): Promise<unknown> {
  const baseUrl = await scriptedServer(server);
  const target = { baseUrl, endpointId: "a", otherEndpointIds, apiKey: "a-key" };
  return openTarget({ ...target, capabilities: [] }, { learns: false });
}

describe("several endpoints", () => {
  test("that answer alike are taken", async () => {
    await expect(open(script({}))).resolves.toMatchObject({
      otherEndpoints: [{ endpointId: "b" }],
    });
  });

  test("that differ are refused in one message, with every difference", async () => {
    await expect(open(script({ status: 200, run: 422 }))).rejects.toThrow(
      "the endpoints that --endpoint names behave differently: " +
        "to status of an unknown job a answered 404, b answered 200; " +
        "to run without an input a answered 400, b answered 422; " +
        "to run without a key a answered 400, b answered 422",
    );
  });

  test("are not told apart by what only shows the moment", async () => {
    await expect(open(script({ status: 429, run: 503 }))).resolves.toBeDefined();
  });

  test("of which there is one alone are asked nothing of the kind", async () => {
    const asked: string[] = [];
    await open(script({}, asked), []);
    expect(asked).toEqual(["GET /v2/a/health"]);
  });
});
