import { expect, onTestFinished, test } from "vitest";
import { startReference } from "../../reference/start-reference.ts";
import { record } from "../../test/cli/record.ts";
import { serveGreeting } from "./serve-greeting.ts";

/** Sends the printed control requests one after the other, and returns the status of each. */
async function statusesOf(text: string, controlUrl: string): Promise<readonly number[]> {
  const statuses: number[] = [];
  let endpointId = "";
  for (const [, method = "", path = "", body = ""] of text.matchAll(
    /curl -sX (\w+) "\$CONTROL(\S+)" -H 'content-type: application\/json' \\\n +-d '(.*)'/g,
  )) {
    const url = `${controlUrl}${path.replace("ENDPOINT_ID", endpointId)}`;
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method, headers, body });
    statuses.push(response.status);
    endpointId ||= String(record(await response.json())["endpointId"]);
  }
  return statuses;
}

test.each([
  ["workers of its own", undefined],
  ["external workers", { silenceMs: 1_000 }],
])("the lines about control work beside %s", async (_, externalWorkers) => {
  const reference = await startReference({ externalWorkers });
  onTestFinished(() => reference.stop());
  const text = serveGreeting(reference, {
    command: "queueproof",
    endpoints: [{}],
    externalWorkers,
    workerProgram: undefined,
    dialect: "spec",
    faults: [],
    failRate: 0,
    latency: undefined,
    stateFile: undefined,
    handlerFile: undefined,
  });
  expect(await statusesOf(text, reference.controlUrl ?? "")).toEqual([201, 200]);
});
