import { isJsonObject, parseJson } from "../../client/parse-json.ts";
import type { CheckContext } from "../check-context.ts";
import type { JobInput } from "../inputs/jobs.ts";
import { Inconclusive } from "../outcome.ts";
import { submitJob, waitForEnd } from "./fixtures.ts";
import type { Hook } from "../webhooks/hook.ts";
import type { Hooks } from "../webhooks/receiver.ts";

/** One report of a handler: that it began, or ended, an execution of a job (docs/test-my-server.md#the-ledger). */
export interface LedgerEntry {
  readonly jobId: string;
  readonly worker: string;
  readonly event: string;
}

/** Reads what the workers themselves report of the jobs they process. */
export interface Ledger {
  /** The input of a job that is to be reported. */
  readonly reported: (input: JobInput) => JobInput;
  /** The executions of a job that were begun, each with its worker. */
  readonly startsOf: (jobId: string) => readonly LedgerEntry[];
  /**
   * To be called where fewer were begun than expected: a handler that waits in vain for this machine gives up.
   * @throws Inconclusive where reports may have been lost so
   */
  readonly requireTaken: () => Promise<void>;
}

/**
 * Opens a ledger of the check's own.
 * @throws Inconclusive where the execution of a first job is not reported
 */
export async function openLedger(context: CheckContext): Promise<Ledger> {
  const ledger = ledgerOf(await context.receiver());
  const first = await submitJob(context, ledger.reported(context.jobs.quick("first")));
  await waitForEnd(context, first);
  const countStarts = async (): Promise<number> =>
    Promise.resolve(ledger.startsOf(first.id).length);
  if ((await context.time.until(countStarts, (starts) => starts > 0)) > 0) return ledger;
  throw new Inconclusive("no worker reported what it processed, so it is not known");
}

/** What is reported to an address of its own. */
export function ledgerOf(receiver: Pick<Hooks, "hook" | "whyCallsMayDiffer">): Ledger {
  const hook = receiver.hook();
  return {
    reported: (input) => ({ ...input, ledger: hook.url }),
    startsOf: (jobId) => startsIn(hook).filter((entry) => entry.jobId === jobId),
    requireTaken: async () => {
      const why = await receiver.whyCallsMayDiffer(hook);
      if (why !== undefined) throw new Inconclusive(`a worker's report is missing, and ${why}`);
    },
  };
}

/** Reports are read anew each time: a ledger is looked at seldom. */
function startsIn({ attempts }: Hook): readonly LedgerEntry[] {
  return attempts
    .flatMap(({ text }) => entryIn(text) ?? [])
    .filter(({ event }) => event === "start");
}

function entryIn(text: string): LedgerEntry | undefined {
  const entry = parseJson(text);
  return isEntry(entry) ? entry : undefined;
}

function isEntry(value: unknown): value is LedgerEntry {
  const names = ["jobId", "worker", "event"];
  return isJsonObject(value) && names.every((name) => typeof value[name] === "string");
}
