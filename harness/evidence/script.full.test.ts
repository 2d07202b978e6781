import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { startReference } from "../../reference/start-reference.ts";
import type { Reference } from "../../reference/start-reference.ts";
import { toolNamed } from "../../test/tools.ts";
import { openTarget } from "../open-target.ts";
import type { Check } from "../check.ts";
import { inputs } from "../inputs/conformance-jobs.ts";
import { submitJob } from "../jobs/fixtures.ts";
import { runCheck } from "../run-check.ts";
import { Session } from "../session.ts";

/** A check that fails on purpose, so that it leaves a script. */
const failing: Check = {
  name: "script/cancels-its-own-job",
  title: "a script does again what a check did",
  covers: ["CANC-01"],
  needs: [],
  run: async (context) => {
    const { api, workers, expect: demand, offers } = context;
    if (offers("workers")) await workers.set(0);
    const { id } = await submitJob(context, inputs.echo('it\'s "quoted" $HOME `id`'));
    await api.withMadeUpKey("a-wrong-key-of-a-test").status(id);
    await api.with({ scheme: "bearer" }).cancel(id);
    await api.status(id, { ttl: 60_000 });
    demand.that(false, { at: "the end", expected: "a pass", got: "a failure" });
  },
};

async function scriptAgainst(target: ConstructorParameters<typeof Session>[0]): Promise<string> {
  const session = new Session(target, 1);
  try {
    const { results } = await runCheck(failing, session, { timeBudgetMs: 60_000 });
    const [result] = results;
    expect(result?.verdict).toBe("fail");
    expect(result?.reason).toMatch(/a failure/);
    return result?.script ?? "";
  } finally {
    await session.close();
  }
}

async function runScript(script: string, environment: Record<string, string>): Promise<string> {
  const { PATH = "" } = process.env;
  const running = promisify(execFile)("sh", ["-c", script], { env: { PATH, ...environment } });
  return (await running).stdout;
}

/** A server that gives every job the same id, and keeps what it was asked. */
async function givingOut(id: string, asked: string[]): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    asked.push(request.url ?? "");
    response.end(JSON.stringify({ id, status: "IN_QUEUE" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port was given");
  return `http://127.0.0.1:${address.port}/behind/a/path`;
}

/** A generated script calls it. */
const curl = toolNamed("curl", "Install it with the system's package manager.");

describe.skipIf(curl.missing !== "")(`the script of a check ${curl.missing}`, () => {
  let reference: Reference;

  beforeAll(async () => {
    reference = await startReference({});
  });

  afterAll(async () => {
    await reference.stop();
  });

  test("makes its endpoint by control and carries ids and keys over", async () => {
    const { baseUrl, controlUrl = "" } = reference;
    const target = await openTarget({ baseUrl, controlUrl, capabilities: [] });
    const script = await scriptAgainst(target);
    const printed = await runScript(script, {});

    const [, id = ""] = /"id":"([^"]+)"/.exec(printed) ?? [];
    expect(script).not.toContain(id);
    expect(printed).toMatch(/"status":401/);
    expect(printed.match(new RegExp(`"id":"${id}","status":"CANCELLED"`, "g"))).toHaveLength(2);
  });

  test("asks for the key of the endpoint where none can be made", async () => {
    const { baseUrl, endpointId, apiKey } = reference;
    const target = await openTarget({ baseUrl, endpointId, apiKey, capabilities: ["handler"] });
    const script = await scriptAgainst(target);

    expect(script).not.toContain(apiKey);
    await expect(runScript(script, {})).rejects.toThrow(/QUEUEPROOF_API_KEY: the api key/);
    const environment = { QUEUEPROOF_API_KEY: apiKey };
    expect(await runScript(script, environment)).toMatch(/"status":"COMPLETED"/);
  });

  test.each(['a"b', "a,b"])("is none where the target gives out the id %s", async (id) => {
    const baseUrl = await givingOut(id, []);
    const given = { endpointId: "e", apiKey: "key-of-a-test", capabilities: ["handler"] } as const;
    expect(await scriptAgainst({ baseUrl, ...given })).toBe("");
  });

  test.each([
    { what: "with a slash and a space", id: "a/b c", segment: "%61%2f%62%20%63" },
    { what: "of dots", id: "..", segment: "%2e%2e" },
    {
      what: "with what a shell would run",
      id: "$(id)`id`;",
      segment: "%24%28%69%64%29%60%69%64%60%3b",
    },
  ])("sends an id $what as it was sent before", async ({ id, segment }) => {
    const asked: string[] = [];
    const baseUrl = await givingOut(id, asked);

    const given = { endpointId: "e", apiKey: "key-of-a-test", capabilities: ["handler"] } as const;
    const script = await scriptAgainst({ baseUrl, ...given });
    asked.length = 0;
    await runScript(script, { QUEUEPROOF_ENDPOINT: "e", QUEUEPROOF_API_KEY: "k" });

    const [, , cancelled = ""] = asked;
    expect(cancelled).toMatch(/^\/behind\/a\/path\/v2\/e\/cancel\//);
    expect(cancelled.split("/").at(-1)).toBe(segment);
  });
});
