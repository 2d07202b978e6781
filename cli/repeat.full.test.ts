import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { describe, expect, onTestFinished, test } from "vitest";

import { isOfLoad, requirementIds } from "../openapi/requirements.ts";
import { changed, specified } from "../reference/behaviour.ts";
import { startReference } from "../reference/start-reference.ts";
import { faults } from "../proof/faults/faults.ts";
import type { Fault } from "../reference/faults.ts";
import type { Reference } from "../reference/start-reference.ts";
import type { Evidence, Report } from "../reports/model.ts";
import { startOwnServer } from "../test/own-server.ts";
import { toolNamed } from "../test/tools.ts";
import { failedChecks, failedRun } from "../test/cli/failed-run.ts";
import { runHere } from "../test/cli/failed-run.ts";
import { root } from "../test/project.ts";

const curl = toolNamed("curl", "Install it with the system's package manager.");

/** Runs a shell line and returns both of its outputs; a command that fails fails the test. */
async function shell(line: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const { PATH = "", HOME = "" } = process.env;
  const options = { cwd: root, env: { PATH, HOME, ...environment }, maxBuffer: 2 ** 26 };
  const { stdout, stderr } = await promisify(execFile)("sh", ["-c", line], options);
  return stdout + stderr;
}

/** Removes from a body what differs from run to run: ids, times and other numbers, and white space. */
function comparable(body: string): string {
  return body
    .replaceAll(/"(?:job|own)-\d+"|[0-9a-f]{8}-[0-9a-f-]{27,}\S*?"|\d+|\s/gu, "")
    .slice(0, 1000);
}

function textOf(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body ?? "");
}

/** Returns the last answer that a script printed. */
function lastAnswer(printed: string): { readonly status: string; readonly body: string } {
  const answers = printed.split(/^> .*\n/mu);
  const [, body = "", status = ""] = /^([^]*?)\n?HTTP (\d+)/u.exec(answers.at(-1) ?? "") ?? [];
  return { status, body };
}

function expectBody(body: string, { response }: Evidence, of: string): void {
  const before = comparable(textOf(response?.body));
  expect(comparable(body).slice(0, before.length), of).toBe(before);
}

/** Runs every script and curl line of a report and compares the answers with it; returns how many there were. */
async function repeatAll(
  report: Report,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly scripts: number; readonly curls: number }> {
  let [scripts, curls] = [0, 0];
  for (const { id, check } of failedChecks(report)) {
    const { name, script, evidence, mismatches: [first] = [] } = check;
    for (const each of evidence.filter((one) => one.curl !== "")) {
      curls += 1;
      const printed = await shell(each.curl, environment);
      expect(printed, `${id} ${name}`).toMatch(new RegExp(`^HTTP/1.1 ${statusOf(each)} `, "u"));
      const [, body = ""] = /\r\n\r\n([^]*)$/u.exec(printed) ?? [];
      expectBody(body, each, `${id} ${name}\n${each.curl}`);
    }
    const shown = evidence[first?.exchange ?? -1];
    if (script === undefined || shown === undefined) continue;
    scripts += 1;
    const { status, body } = lastAnswer(await shell(script, environment));
    expect(status, `${id} ${name}\n${script}`).toBe(statusOf(shown));
    expectBody(body, shown, `${id} ${name}\n${script}`);
  }
  return { scripts, curls };
}

function statusOf({ response }: Evidence): string {
  return response === null ? "000" : String(response.status);
}

async function startFaulty(fault: Fault): Promise<Reference> {
  const behaviour = changed(specified, fault.change(specified));
  const reference = await startReference({ behaviour });
  onTestFinished(() => reference.stop());
  return reference;
}

/** Faults that count the jobs of all endpoints: a different check meets them in each run, with a different job. */
const countEveryJob: ReadonlySet<string> = new Set([
  "states/every-fortieth-job-is-lost",
  "states/long-queue-loses-jobs",
]);

/** A fault of every second requirement that `contract` decides: of each area, and of each kind of script. */
const oneOfTwo = requirementIds
  .flatMap((id) => {
    const meant = faults.filter(({ breaks }) => breaks[0] === id);
    const fault = meant.find(({ name }) => !countEveryJob.has(name));
    return fault === undefined || isOfLoad(id) ? [] : [[id, fault.name, fault] as const];
  })
  .filter((_, at) => at % 2 === 0);

/** A shell cannot repeat these: webhooks, bodies of megabytes, many requests at once, answers that never come. */
const withoutScript = /^(?:HOOK-\d\d|RUNA-0[23]|SYNC-06|CANC-03)$/;

describe.skipIf(curl.missing !== "")(`what a report gives to be pasted ${curl.missing}`, () => {
  test.each(oneOfTwo)("%s fails again in a shell: %s", async (id, _, fault) => {
    const { controlUrl = "" } = await startFaulty(fault);
    const words = ["--control", controlUrl, "--capability", "crash", "--only", id];
    const { report } = await failedRun(words);
    const { scripts } = await repeatAll(report, {});
    expect(scripts > 0).toBe(!withoutScript.test(id));
  });

  test.each([
    ["AUTH-02", { open: ["stream"] }],
    ["AUTH-01", { open: ["status"] }],
    ["SUBM-01", { needsNoInput: true }],
    ["CANC-01", { cancelsNothing: true }],
    ["STAT-09", { knowsEveryJob: true }],
    ["RETR-01", { retriesNothing: true }],
  ] as const)("%s of a server with a control protocol of its own", async (id, own) => {
    const { baseUrl, controlUrl, endpoints } = await startOwnServer(own);
    const { report } = await failedRun([
      "--base-url",
      baseUrl,
      "--control",
      controlUrl,
      "--only",
      id,
    ]);
    const before = endpoints();
    expect((await repeatAll(report, {})).scripts).toBeGreaterThan(0);
    expect(endpoints()).toBe(before);
  });

  test.each(["auth/health-needs-no-key", "submit/input-may-be-an-array"])(
    "%s by endpoint and key, from a curl line and from scripts",
    async (name) => {
      const fault = faults.find((each) => each.name === name) ?? faults[0];
      if (fault === undefined) throw new Error("there are no faults");
      const { baseUrl, endpointId, apiKey } = await startFaulty(fault);
      const place = ["--base-url", baseUrl, "--endpoint", endpointId, "--api-key", apiKey];
      const only = ["--capability", "handler", "--only", fault.breaks[0] ?? ""];
      const { report } = await failedRun([...place, ...only]);
      const found = await repeatAll(report, { QUEUEPROOF_API_KEY: apiKey });
      expect(found.curls).toBeGreaterThan(0);
      expect(JSON.stringify(report)).not.toContain(apiKey);
    },
  );
});

test.each(["rate/forgets-after-an-error", "concurrency/counted-after-the-handler"])(
  "the line repeats what load found: %s",
  async (name) => {
    const fault = faults.find((each) => each.name === name);
    const [id = ""] = fault?.breaks ?? [];
    if (fault === undefined) throw new Error(`there is no fault ${name}`);
    const { controlUrl = "" } = await startFaulty(fault);
    const { directory, output } = await failedRun(["--control", controlUrl, "--only", id], "load");
    const [, line = ""] = /repeat: npx queueproof (.*)/.exec(output) ?? [];
    const again = await runHere([...line.split(" "), "--report", "again"], directory);
    expect(again).toMatchObject({ exitCode: 1, errors: "" });
    expect(again.output).toMatch(new RegExp(`${id} fails, as before\\.$`, "m"));
  },
);

test("the line works as it is printed, in a clone", async () => {
  const { baseUrl, controlUrl } = await startOwnServer({ open: ["stream"] });
  const words = ["--base-url", baseUrl, "--control", controlUrl, "--only", "AUTH-02"];
  const { directory } = await failedRun(words);
  const line = `npx queueproof replay ${directory}/reports/latest/report.json AUTH-02`;
  const printed = await shell(`${line} --report ${directory}/again; echo "exit code $?"`, {});
  expect(printed).toMatch(/AUTH-02 fails, as before\.$[^]*^exit code 1$/m);
});
