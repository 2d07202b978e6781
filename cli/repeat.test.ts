import { describe, expect, onTestFinished, test } from "vitest";

import { changed, specified } from "../reference/behaviour.ts";
import { startReference } from "../reference/start-reference.ts";
import { faultNamed } from "../proof/faults/faults.ts";
import { startOwnServer } from "../test/own-server.ts";
import { failedChecks, failedRun } from "../test/cli/failed-run.ts";
import { runHere } from "../test/cli/failed-run.ts";

/** One server of each kind that fails a requirement, with the options that lead to it. */
const targets = {
  "the reference with a fault": async () => {
    const change = faultNamed("auth/stream-takes-any-key")?.change(specified) ?? {};
    const reference = await startReference({ behaviour: changed(specified, change) });
    onTestFinished(() => reference.stop());
    return ["--control", reference.controlUrl ?? ""];
  },
  "the reference with a fault, by endpoint and key": async () => {
    const change = faultNamed("auth/stream-takes-any-key")?.change(specified) ?? {};
    const reference = await startReference({ behaviour: changed(specified, change) });
    onTestFinished(() => reference.stop());
    const { baseUrl, endpointId, apiKey } = reference;
    const place = ["--base-url", baseUrl, "--endpoint", endpointId];
    return [...place, "--api-key", apiKey, "--capability", "handler", "--seed", "5"];
  },
  "a server with a control protocol of its own": async () => {
    const { baseUrl, controlUrl } = await startOwnServer({ open: ["stream"] });
    return ["--base-url", baseUrl, "--control", controlUrl];
  },
};

/** The key that was typed, which no report holds. */
function keyIn(words: readonly string[]): string {
  return words[words.indexOf("--api-key") + 1] ?? "";
}

describe("the line that repeats a failure", () => {
  test.each(Object.entries(targets))("fails again, from every place: %s", async (_, start) => {
    const words = await start();
    const { directory, output, read } = await failedRun([...words, "--only", "AUTH-02"]);
    const plain = "npx queueproof replay reports/latest/report.json AUTH-02";
    const isKeyed = words.includes("--api-key");
    const line = isKeyed ? `QUEUEPROOF_API_KEY=KEY ${plain} --base-url ${words[1] ?? ""}` : plain;
    expect(output).toContain(`repeat: ${line}\n`);
    const files = ["report.html", "report.md", "junit.xml", "ctrf.json"];
    for (const file of files) expect(read(file), file).toContain(line);
    const again = await runHere(
      ["report", "reports/latest/report.json", "--report", "b"],
      directory,
    );
    expect(again.output).toContain(`repeat: ${plain}\n`);

    const [, typed = ""] = line.split("npx queueproof ");
    const environment = isKeyed ? { QUEUEPROOF_API_KEY: keyIn(words) } : {};
    const end = await runHere(typed.split(" "), directory, environment);
    expect(end).toMatchObject({ exitCode: 1, errors: "" });
    expect(end.output.trimEnd()).toMatch(/AUTH-02 fails, as before\.$/);
  });
});

describe("what a report shows of a failure", () => {
  test("is the exchange and the key with which it failed", async () => {
    const { baseUrl, controlUrl } = await startOwnServer({ open: ["stream"] });
    const place = ["--base-url", baseUrl, "--control", controlUrl];
    const { report, read } = await failedRun([...place, "--only", "AUTH-02"]);
    const shown = failedChecks(report).map(
      ({ check: { name, mismatches: [first] = [], evidence } }) => {
        const { request, response } = evidence[first?.exchange ?? -1] ?? {};
        const key = request?.headers["authorization"];
        return { name, key, status: response?.status, path: request?.url.split("/")[5] };
      },
    );
    expect(shown).toEqual([
      { name: "auth/almost-the-key", key: "***,x", status: 200, path: "stream" },
      { name: "auth/wrong-key", key: "queueproof-wrong-key", status: 200, path: "stream" },
    ]);
    expect(read("report.json")).not.toContain("key-of-own");
  });

  test("begins with the job whose webhook failed", async () => {
    const { baseUrl, controlUrl } = await startOwnServer({ acknowledges: [204] });
    const place = ["--base-url", baseUrl, "--control", controlUrl];
    const { report } = await failedRun([...place, "--only", "HOOK-07"]);
    const name = "webhook/only-200-acknowledges";
    const check = failedChecks(report).find((each) => each.check.name === name)?.check;
    const { mismatches = [], evidence = [], timelines = [], script } = check ?? {};
    expect(mismatches[0]).toMatchObject({ at: "calls, the first of them answered 204" });
    const failing = evidence[mismatches[0]?.exchange ?? -1];
    expect(failing).toBe(evidence[0]);
    expect(timelines[0]?.job).toBe(failing?.job);
    expect(timelines[0]?.events.map(({ text }) => text)).toContain("webhook, answered with 204");
    expect([script, failing?.curl]).toEqual([undefined, ""]);
  });
});
