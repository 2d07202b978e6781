import type { Cause, Evidence, Mismatch, Report, ReportCheck, ReportRequirement } from "./model.ts";

/** Stands for what a team's data may be in. */
const leftOut = "[left out]";

/**
 * The report without inputs and outputs of jobs: no body of any exchange, no command that repeats one, no jobs of the
 * user's own, and of what was compared only states, statuses, numbers and words of this program.
 */
export function withoutBodies(report: Report): Report {
  const { settings, causes, deviations, worker, ...rest } = report;
  const compared = report.requirements.flatMap((entry) => comparedIn(entry));
  return {
    ...rest,
    ...(settings !== undefined && { settings: { ...settings, jobs: undefined } }),
    ...(causes !== undefined && {
      causes: causes.map((cause) => causeWithoutBodies(cause, compared)),
    }),
    ...(deviations !== undefined && { deviations: deviations.map(withoutSeen) }),
    ...(worker !== undefined && {
      worker: { ...worker, tests: worker.tests.map(outcomeInOurWords) },
    }),
    requirements: report.requirements.map(requirementWithoutBodies),
  };
}

type WorkerTest = NonNullable<Report["worker"]>["tests"][number];

/** What came instead may be an error's text. */
function outcomeInOurWords(test: WorkerTest): WorkerTest {
  const { outcome } = test;
  return { ...test, outcome: outcome === "as expected" ? outcome : ourWords(outcome) };
}

function requirementWithoutBodies(entry: ReportRequirement): ReportRequirement {
  const { reason, deviations, checks } = entry;
  return {
    ...entry,
    ...(reason !== undefined && { reason: cutValues(reason, comparedIn(entry)) }),
    ...(deviations !== undefined && { deviations: deviations.map(withoutSeen) }),
    checks: checks.map(checkWithoutBodies),
  };
}

function comparedIn({ checks }: ReportRequirement): readonly Mismatch<string>[] {
  return checks.flatMap((check) => check.mismatches ?? []);
}

/** Its timelines go too: they tell what webhooks brought. So does what a program printed. */
function checkWithoutBodies(check: ReportCheck): ReportCheck {
  const { mismatches, reason, attempts, ...others } = check;
  const { script: _script, timelines: _timelines, printed: _printed, ...rest } = others;
  return {
    ...rest,
    ...(reason !== undefined && { reason: cutValues(reason, mismatches) }),
    ...(attempts !== undefined && {
      attempts: attempts.map(withCutReason),
    }),
    ...(mismatches !== undefined && { mismatches: mismatches.map(inOurWords) }),
    evidence: rest.evidence.map(emptied),
  };
}

function inOurWords<Entry extends Mismatch<string>>(mismatch: Entry): Entry {
  const { at, expected, got } = mismatch;
  return { ...mismatch, at: cutValues(at), expected: ourWords(expected), got: ourWords(got) };
}

function causeWithoutBodies(cause: Cause, compared: readonly Mismatch<string>[]): Cause {
  return { ...cause, text: cutValues(cause.text, compared), evidence: cause.evidence.map(emptied) };
}

function withCutReason<Entry extends { readonly reason: string }>(entry: Entry): Entry {
  return { ...entry, reason: cutValues(entry.reason) };
}

function withoutSeen<Entry extends { readonly seen: string }>(deviation: Entry): Entry {
  return { ...deviation, seen: cutValues(deviation.seen) };
}

function emptied(evidence: Evidence): Evidence {
  const { request, response } = evidence;
  return {
    ...evidence,
    request: { ...request, body: null },
    response: response === null ? null : { ...response, body: null },
    curl: "",
  };
}

/** A text up to the first value in it. Texts that mismatches compare are cut wherever they stand. */
function cutValues(text: string, mismatches: readonly Mismatch<string>[] = []): string {
  let cut = text;
  for (const { expected, got } of mismatches) {
    for (const each of [expected, got].filter((one) => one !== "" && ourWords(one) !== one)) {
      cut = cut.replaceAll(each, ourWords(each));
    }
  }
  return cut.replace(/[{["'](?!left out\]).*$/su, leftOut);
}

/** Numbers, states, statuses and words of this program, which are no data of a team. */
const plain =
  /^(?:(?:status )?\d[\d.,]*(?: ?m?s| bytes)?(?:, no body)?|[A-Z][A-Z_]+|true|false|null|none|nothing|a refusal \(4xx\)|a success \(2xx\)|an answer(?: at once)?|2xx with (?:a valid [A-Za-z]+|a record of id and status))$/u;

/** What was compared, where it can hold no data of a team; otherwise that it was left out, and the status beside it. */
function ourWords(text: string): string {
  if (plain.test(text)) return text;
  const [status] = /^status \d{3}(?=, )/u.exec(text) ?? [];
  return status === undefined ? leftOut : `${status}, ${leftOut}`;
}
