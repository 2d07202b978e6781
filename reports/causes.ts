import type {
  Cause,
  Evidence,
  Fact,
  Mismatch,
  Report,
  ReportCheck,
  ReportRequirement,
} from "./model.ts";
import type { Verdict } from "./verdict.ts";
import { operationOf } from "./failing-evidence.ts";
import { compareText } from "./groups.ts";
import { differenceText } from "./sentence.ts";

/** What a group of checks has in common, before it is told. */
interface Group {
  /** Stable from run to run. */
  readonly id: string;
  readonly text: string;
  readonly fact?: Fact;
  readonly evidence: Evidence | undefined;
  readonly requirements: Set<string>;
  readonly checks: Set<string>;
}

/** A place in a report: one check under one requirement. */
interface Place {
  readonly id: string;
  /** Whether the requirement holds by its other checks. */
  readonly holds: boolean;
  readonly check: ReportCheck;
}

/** The requirements of a report with the cause of each, and the causes: what was learned first, then by what they break. */
export interface Caused {
  readonly requirements: readonly ReportRequirement[];
  readonly causes: readonly Cause[];
}

/**
 * Puts failing and undecided checks that share what they saw under one cause. What was learned of the target before it was
 * judged comes first; others share the operation, the answer and the place. Ids, numbers and times do not tell them apart.
 */
export function withCauses(
  requirements: readonly ReportRequirement[],
  facts: readonly Fact[],
): Caused {
  const groups = new Map<string, Group>();
  for (const fact of facts) groups.set(fact.id, groupOfFact(fact));
  const idOf = new Map<ReportCheck, string>();
  const join = ({ id, holds, check }: Place, group: Group): void => {
    if (!holds) group.requirements.add(id);
    group.checks.add(check.name);
    idOf.set(check, group.id);
  };
  const places = requirements.flatMap(({ id, verdict, checks }) =>
    checks.map((check) => ({ id, holds: verdict === "pass", check })),
  );
  for (const place of places) {
    const known = groups.get(place.check.cause ?? "");
    if (known !== undefined) join(place, known);
  }
  const openWith = (verdict: Verdict): readonly Place[] =>
    places.filter(({ check }) => check.verdict === verdict && !idOf.has(check));
  for (const place of openWith("fail")) {
    const group = groupOfFailure(place.check, place.id);
    const same = groups.get(group.id) ?? group;
    groups.set(same.id, same);
    join(place, same);
  }
  const found = [...groups.values()].filter(({ checks }) => checks.size > 0);
  for (const place of openWith("inconclusive")) {
    const shared = found.find((group) => isToldBy(place.check, group));
    if (shared !== undefined) join(place, shared);
  }
  return {
    requirements: requirements.map((entry) => withCause(entry, idOf)),
    causes: ordered(found).map(causeOf),
  };
}

/** The causes that are told once for what they break and keep from being decided: learned, or of several requirements. */
export function sharedCauses({
  causes = [],
  learned = [],
}: Pick<Report, "causes" | "learned">): readonly Cause[] {
  return causes.filter(
    ({ id, requirements }) => requirements.length > 1 || learned.some(({ cause }) => cause === id),
  );
}

/** The requirements that fail under a cause, and those that it keeps from being decided. */
export function requirementsOf(
  { id, requirements: all }: Cause,
  { requirements }: Pick<Report, "requirements">,
): { readonly broken: readonly string[]; readonly kept: readonly string[] } {
  // A requirement that two causes break is told under both.
  const failing = requirements.filter(({ verdict, cause, checks }) => {
    const isBroken = checks.some((check) => check.verdict === "fail" && check.cause === id);
    return verdict === "fail" && (cause === id || isBroken);
  });
  const broken = failing.map((each) => each.id);
  return { broken, kept: all.filter((each) => !broken.includes(each)) };
}

/** An exchange in one line: what was asked, and what came. */
export function exchangeText({ request, response, error }: Evidence): string {
  const body = typeof response?.body === "string" ? response.body : JSON.stringify(response?.body);
  const got =
    response === null
      ? (error ?? "no answer")
      : `${response.status} ${body === "null" ? "" : body}`;
  return `${request.method} ${request.url}  ->  ${got}`;
}

/** The cause under which a requirement or a check is told together with others; undefined where it stands alone. */
export function sharedCauseOf(
  { cause }: Pick<ReportRequirement, "cause">,
  report: Pick<Report, "causes" | "learned">,
): Cause | undefined {
  return cause === undefined ? undefined : sharedCauses(report).find(({ id }) => id === cause);
}

function groupOfFact(fact: Fact): Group {
  const [evidence] = fact.evidence;
  const { id, text } = fact;
  return { id, text, fact, evidence, requirements: new Set(), checks: new Set() };
}

/** The group of a failing check by its first difference. */
function groupOfFailure(check: ReportCheck, requirement: string): Group {
  const [mismatch] = check.mismatches ?? [];
  const nothing = { requirements: new Set<string>(), checks: new Set<string>() };
  if (mismatch === undefined) {
    const text = check.reason ?? "";
    return { id: slug(`${requirement} ${plain(text)}`), text, evidence: undefined, ...nothing };
  }
  const evidence = mismatch.exchange === undefined ? undefined : check.evidence[mismatch.exchange];
  return { ...sharedBy(mismatch, evidence, requirement), evidence, ...nothing };
}

/** What differences share that are one cause: their id and the sentence. */
function sharedBy(
  mismatch: Mismatch<string>,
  evidence: Evidence | undefined,
  requirement: string,
): Pick<Group, "id" | "text"> {
  const operation = evidence === undefined ? undefined : operationOf(evidence.request);
  const status = evidence?.response?.status;
  const { at, expected, got } = mismatch;
  const text = differenceText(mismatch);
  if (operation !== undefined && isBrokenAnswer(mismatch, status)) {
    const answered = status === undefined ? "unanswered" : `answered-${status}`;
    const kind = status === undefined ? "gives no answer" : `answers ${status}`;
    const said = plain(got);
    return {
      id: slug(`${operation} ${answered} ${said.replace(/^status #,? ?/, "")}`),
      text: `${operation} ${kind} where ${expected} is due: ${got}`,
    };
  }
  // Whatever was wrong with a request, or which member is broken, stays apart.
  return { id: slug(`${requirement} ${placeOf(at)}`), text };
}

/** Where something differs, without values and without the operation, which may be either of two. */
function placeOf(at: string): string {
  return plain(at).replaceAll(/\b(?:run|runsync)\b|"[^"]*"|=?#.*$/g, "");
}

/** Whether an error, or nothing, came where a success was due: the same for all that was asked of the operation. */
function isBrokenAnswer({ expected }: Mismatch<string>, status: number | undefined): boolean {
  const isDue = /\b2xx\b|\b200\b|success/.test(expected);
  return isDue && (status === undefined || status >= 400);
}

/** Whether an undecided check tells of the answer that a group of failures got. */
function isToldBy({ reason = "" }: ReportCheck, { evidence }: Group): boolean {
  if (evidence === undefined) return false;
  const operation = operationOf(evidence.request);
  const { status, body } = evidence.response ?? { status: undefined, body: undefined };
  if (operation === undefined || status === undefined || status < 400) return false;
  const said = typeof body === "string" ? body : JSON.stringify(body ?? "");
  const told = plain(reason);
  return (
    reason.includes(operation) &&
    reason.includes(String(status)) &&
    told.includes(plain(said).slice(0, 60))
  );
}

/** A text without what differs from run to run: ids, numbers and times. */
function plain(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f-]{10,}/gi, "#")
    .replaceAll(/\b(?=[\da-z-]*\d)[\da-z-]{10,}\b/gi, "#")
    .replaceAll(/\d+(?:[.,]\d+)*/g, "#");
}

const slugCharactersMax = 60;

function slug(text: string): string {
  const words = text.toLowerCase().replaceAll(/[^\da-z]+/g, "-");
  return words.slice(0, slugCharactersMax).replaceAll(/^-+|-+$/g, "");
}

/** What was learned first, in that order; then what breaks most. */
function ordered(groups: readonly Group[]): readonly Group[] {
  const learned = groups.filter(({ fact }) => fact !== undefined);
  const seen = groups.filter(({ fact }) => fact === undefined);
  return [
    ...learned,
    ...seen.toSorted(
      (one, other) =>
        other.requirements.size - one.requirements.size || compareText(one.id, other.id),
    ),
  ];
}

function causeOf({ id, text, fact, evidence, requirements, checks }: Group): Cause {
  return {
    id,
    text: `${text}${frontText(evidence)}`,
    requirements: [...requirements].toSorted(compareText),
    checks: checks.size,
    ...(fact?.adapted !== undefined && { adapted: fact.adapted }),
    ...(fact?.dialect !== undefined && { dialect: fact.dialect }),
    evidence: fact?.evidence ?? (evidence === undefined ? [] : [evidence]),
  };
}

/** Headers by which something between shows that it, and not the server, has answered. */
const frontHeaders = ["age", "x-cache", "via", "content-encoding", "location", "retry-after"];

function frontText(evidence: Evidence | undefined): string {
  const { headers = {}, status = 0 } = evidence?.response ?? {};
  const names = status >= 500 ? [...frontHeaders, "server"] : frontHeaders;
  const told = names.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [`${name}: ${[value].flat().join(", ")}`];
  });
  return told.length === 0 ? "" : ` (${told.join("; ")})`;
}

/** An entry with the cause of each check, and its own: that of the check that decides it. */
function withCause(
  entry: ReportRequirement,
  idOf: ReadonlyMap<ReportCheck, string>,
): ReportRequirement {
  const checks = entry.checks.map((check) => {
    const cause = idOf.get(check);
    return cause === undefined ? check : Object.assign({}, check, { cause });
  });
  if (entry.verdict === "pass") return { ...entry, checks };
  const deciding = checks.filter(({ verdict }) => verdict === entry.verdict);
  const cause = deciding.flatMap((check) => check.cause ?? [])[0];
  return { ...entry, ...(cause !== undefined && { cause }), checks };
}
