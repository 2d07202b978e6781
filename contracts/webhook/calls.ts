import { hasMark, isJsonObject, markFlaw, parseJson } from "../../client/parse-json.ts";
import type { Hook, HookAttempt } from "../../harness/webhooks/hook.ts";
import { waitForEnd } from "../../harness/jobs/fixtures.ts";
import { stateOf } from "../../harness/record.ts";
import { submitJobBy } from "../../harness/jobs/submit.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import type { Submission } from "../../harness/jobs/submit.ts";
import type { Expectations } from "../../harness/expect.ts";
import type { FinishedJob, SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { LooseRecord } from "../../harness/record.ts";
import type { CheckContext } from "../../harness/check-context.ts";

/** The delay between two attempts (HOOK-05). */
export const spacingMs = 10_000;

/** Long enough to see one more attempt, were there one: on a virtual clock also one of the next day. */
export function silenceMs(time: CheckContext["time"]): number {
  return time.choose({ virtual: 90_000_000, real: spacingMs + 1500 });
}

/** The member of a submission that names a webhook, where the target can call one. */
export async function webhookFor(context: CheckContext): Promise<{ readonly webhook?: string }> {
  return context.offers("webhook") ? { webhook: (await context.receiver()).hook().url } : {};
}

/** Submits a job with its webhook. */
export async function submitJobWith(
  context: CheckContext,
  hook: Hook,
  { input, by = "run", extra = {} }: HookedSubmission,
): Promise<SubmittedJob> {
  return submitJobBy(context, input, { by, extra: { ...extra, webhook: hook.url } });
}

/** Submits a job with its webhook and waits until it has ended. */
export async function runToEndWith(
  context: CheckContext,
  hook: Hook,
  submission: HookedSubmission,
): Promise<FinishedJob> {
  return waitForEnd(context, await submitJobWith(context, hook, submission));
}

interface HookedSubmission extends Submission {
  readonly input: unknown;
}

/**
 * Waits until each of the hooks has been called `count` times, for at most `withinMs` of the endpoint's time: what is
 * missing of several costs one wait.
 */
export async function untilCalled(
  { time, demand }: Pick<CheckContext, "time" | "demand">,
  hooks: readonly Hook[],
  count: number,
  withinMs = 0,
): Promise<void> {
  const look = async (): Promise<number> => {
    demand("webhook");
    return Promise.resolve(Math.min(...hooks.map(({ attempts }) => attempts.length)));
  };
  await time.until(look, (calls) => calls >= count, withinMs);
}

/**
 * Does the same for one hook, and returns all calls that came.
 * @throws Inconclusive where fewer came, and this machine may be the reason
 */
export async function callsOf(
  context: CheckContext,
  hook: Hook,
  count: number,
  withinMs = 0,
): Promise<readonly HookAttempt[]> {
  await untilCalled(context, [hook], count, withinMs);
  context.expect.about(hook);
  if (hook.attempts.length < count) await requireCountableCalls(context, hook);
  return [...hook.attempts];
}

/**
 * Does the same as callsOf for a check that counts the calls.
 * @throws Inconclusive where fewer or more came, and this machine may be the reason
 */
export async function countedCallsOf(
  context: CheckContext,
  hook: Hook,
  count: number,
  withinMs = 0,
): Promise<readonly HookAttempt[]> {
  await untilCalled(context, [hook], count, withinMs);
  return countedCalls(context, hook, count);
}

/**
 * The calls that have come by now, for a check that counts them.
 * @throws Inconclusive where fewer or more came, and this machine may be the reason
 */
export async function countedCalls(
  context: CheckContext,
  hook: Hook,
  count: number,
): Promise<readonly HookAttempt[]> {
  context.expect.about(hook);
  if (hook.attempts.length !== count) await requireCountableCalls(context, hook);
  return [...hook.attempts];
}

/**
 * Is called where the number of calls is not the expected one. A call that the receiver takes too late is missing, and
 * one that it answers too late is made again.
 * @throws Inconclusive where this machine may be the reason
 */
export async function requireCountableCalls({ receiver }: CheckContext, hook: Hook): Promise<void> {
  const why = await (await receiver()).whyCallsMayDiffer(hook);
  if (why !== undefined) throw new Inconclusive(`another number of calls came, and ${why}`);
}

/**
 * Waits for the first call, for a check of what is in it or of what follows it.
 * @throws Inconclusive where none came: the checks of HOOK-01 judge that
 */
export async function firstCall(context: CheckContext, hook: Hook): Promise<HookAttempt> {
  const [first] = await callsOf(context, hook, 1);
  if (first !== undefined) return first;
  throw new Inconclusive("no webhook was called", ["HOOK-01"]);
}

/** The calls that have told of a completion. */
export function completionsOf({ attempts }: Pick<Hook, "attempts">): readonly HookAttempt[] {
  return attempts.filter((attempt) => recordIn(attempt)?.["status"] === "COMPLETED");
}

/** How many calls have told of a completion. */
export function completionsIn(hook: Pick<Hook, "attempts">): number {
  return completionsOf(hook).length;
}

/**
 * Waits for a call that tells of a completion, and returns how many did.
 * @throws Inconclusive where it is not one, and this machine may be the reason
 */
export async function awaitCompletions(context: CheckContext, hook: Hook): Promise<number> {
  const count = async (): Promise<number> => Promise.resolve(completionsIn(hook));
  const completions = await context.time.until(count, (seen) => seen > 0);
  if (completions !== 1) await requireCountableCalls(context, hook);
  return completions;
}

/** The members of a record that the specification names (docs/specification.md#job-record). */
const members = ["id", "status", "output", "delayTime", "executionTime"] as const;

/** Compares what a call brought with the status record, in the members that the specification names. */
export function expectSameRecord(
  expect: Expectations,
  attempt: HookAttempt,
  { record, at }: { readonly record: LooseRecord; readonly at: string },
): void {
  if (attempt.deviation !== undefined) expect.note(attempt.deviation);
  const body = recordIn(attempt);
  const expected = "a JSON object with what status shows";
  if (body === undefined || hasMark(attempt.text)) {
    const flaw = body === undefined ? "" : `: ${markFlaw}`;
    expect.surely.that(false, { at, expected, got: `${attempt.text.slice(0, 80)}${flaw}` });
    return;
  }
  for (const member of members) {
    expect.equal(body[member] ?? null, record[member] ?? null, `${at}, ${member}`);
  }
}

/**
 * Records a difference where a call tells of the completion of a purged job.
 * @throws Inconclusive where the job was quicker than the purge
 */
export async function expectNoCompletion(
  context: CheckContext,
  hook: Hook,
  { id }: SubmittedJob,
): Promise<void> {
  const state = stateOf(await context.api.status(id));
  if (state === "COMPLETED") throw new Inconclusive("the job that was to be purged was quicker");
  const told = hook.attempts.map((attempt) => recordIn(attempt)?.["status"]);
  context.expect
    .about(hook)
    .of("HOOK-08")
    .that(!told.includes("COMPLETED"), {
      at: `calls of a purged job that is ${state}`,
      expected: "none that tells COMPLETED",
      got: told.join(", "),
    });
}

/**
 * The JSON object that a call brought, if it brought one.
 * @throws Inconclusive where it was not kept
 */
export function recordIn({
  text,
  isCut = false,
}: HookAttempt): Readonly<Record<string, unknown>> | undefined {
  if (isCut) throw new Inconclusive("the target's webhook calls brought more than a run keeps");
  const body = parseJson(text);
  return isJsonObject(body) ? body : undefined;
}
