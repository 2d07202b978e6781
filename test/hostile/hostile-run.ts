import { JobClient } from "../../client/job-client.ts";
import { Redactor } from "../../client/redactor.ts";
import { Transport } from "../../client/transport.ts";
import { rulesFor } from "../../client/request-rules.ts";
import type { Exchange } from "../../client/exchange.ts";
import { jobKinds } from "../../openapi/capabilities.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { checks } from "../../contracts/checks.ts";
import { needsOf, realTimeOf } from "../../harness/check.ts";
import type { Check } from "../../harness/check.ts";
import type { RequirementResult } from "../../harness/judge.ts";
import { HarnessError } from "../../harness/outcome.ts";
import { runCheck } from "../../harness/run-check.ts";
import { Session } from "../../harness/session.ts";
import { openTarget } from "../../harness/open-target.ts";
import type { HostileServer } from "./hostile-server.ts";

/** One requirement for each operation, and a few of those that a server could pass by refusing or by chance. */
const tried: readonly RequirementId[] = [
  ...(["AUTH-03", "SUBM-01", "POLI-01", "RUNA-01", "SYNC-01", "STAT-01", "STRM-01"] as const),
  ...(["CANC-03", "CANC-05", "RETR-01", "PURG-04", "HLTH-01"] as const),
];

/** What the conformance handler offers. */
const ofHandler: ReadonlySet<string> = new Set(["handler", ...jobKinds]);

/** For each requirement the first check that needs no real time and no capability but those of the handler. */
const selection: readonly Check[] = tried.map((id) => {
  const found = checks.find(
    (check) =>
      check.covers.includes(id) &&
      check.observe === undefined &&
      realTimeOf(check) === 0 &&
      needsOf(check).every((need) => ofHandler.has(need)),
  );
  if (found === undefined) throw new Error(`${id} has no check that can be tried here`);
  return found;
});

/** The outcome of the selection against one server. */
export interface HostileRun {
  readonly results: readonly RequirementResult[];
  /** One plain request, outside any check. */
  readonly plain: Exchange;
  /** Why openTarget refuses the server, so that no run would begin; undefined where it does not. */
  readonly refusedToOpen: string | undefined;
}

/** Starts the server, then runs openTarget, one plain request and the selection against it. */
export async function runHostile(server: HostileServer): Promise<HostileRun> {
  const running = await server.start();
  const target = {
    baseUrl: running.baseUrl,
    endpointId: "an-endpoint",
    apiKey: "the-key-of-this-test",
    capabilities: ["handler", ...jobKinds],
    workersSeen: 8,
    // Short where a timeout is expected; elsewhere long enough for a busy machine.
    timeoutMs: server.failure === "timeout" ? 250 : 120_000,
  } as const;
  const session = new Session(target, 1);
  try {
    const refusedToOpen = await openingOf(target);
    const plain = await plainCall(target);
    const all = selection.map(async (check) => runCheck(check, session, { timeBudgetMs: 0 }));
    const results = (await Promise.all(all)).flatMap((run) => run.results);
    return { results, plain, refusedToOpen };
  } finally {
    await session.close();
    await running.stop();
  }
}

type GivenTarget = ConstructorParameters<typeof Session>[0];

async function openingOf(target: GivenTarget): Promise<string | undefined> {
  try {
    await openTarget(target);
    return undefined;
  } catch (error) {
    if (error instanceof HarnessError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

async function plainCall({ baseUrl, timeoutMs = 0 }: GivenTarget): Promise<Exchange> {
  const transport = new Transport(rulesFor({ baseUrl }), 1);
  const redactor = new Redactor();
  const rest = { endpointId: "an-endpoint", apiKey: "the-key-of-this-test", timeoutMs };
  try {
    return await new JobClient({ transport, redactor, baseUrl, ...rest }).health();
  } finally {
    await transport.close();
  }
}
