import { objectiveHead } from "../objectives/judge-objective.ts";
import { notAnswered } from "../open-loop/judged-load.ts";
import type { JudgedLoad } from "../open-loop/judged-load.ts";
import type { Demand, Promised, ReadFigure, ScenarioPlan } from "../../scenarios/scenario.ts";

/** What k6 measured; `undecided`: why that decides nothing, or an empty text. */
interface Seen {
  readonly read: ReadFigure;
  readonly undecided: string;
}

/** The entry of each of the owner's objectives about answers. */
export function objectivesOf(
  { promises = [], demands }: ScenarioPlan,
  seen: Seen,
): readonly JudgedLoad[] {
  return promises.map((promise) => {
    const demand = demands.find((each) => each.promise?.name === promise.name);
    return demand === undefined
      ? notMeasured(promise, whyNotMeasured(promise))
      : { ...objectiveHead(promise, "k6"), ...judged(promise, demand, seen) };
  });
}

/** An entry for an objective that was not measured. */
export function notMeasured(promise: Promised, reason: string): JudgedLoad {
  return { ...objectiveHead(promise, "k6"), figures: {}, ...notAnswered("not-run", reason) };
}

function whyNotMeasured({ subject, measure }: Promised): string {
  return measure === "latency" || measure === "errors"
    ? `the mix sent no ${subject}`
    : "k6 sees answers, and not what becomes of jobs: name `mix` (`queueproof load mix`)";
}

type Judged = Pick<JudgedLoad, "verdict" | "figures" | "reason" | "answer">;

function judged(promise: Promised, { metric, measure }: Demand, { read, undecided }: Seen): Judged {
  const { share, bound } = promise;
  const isOfErrors = promise.measure === "errors";
  const [most, unit] = isOfErrors ? [bound * 100, "%"] : [bound, "ms"];
  const sent = sentOf(promise, read);
  const value = read(metric, measure) ?? Number.POSITIVE_INFINITY;
  const figures = {
    requests: sent,
    [`bound ${unit}`]: most,
    ...(sent > 0 && { [`measured ${unit}`]: Math.round(value * 100) / 100 }),
  };
  if (undecided !== "") return { figures, ...notAnswered("inconclusive", undecided) };
  const needed = neededOf(isOfErrors ? bound : 1 - share);
  const isBroken = value > most;
  // Errors count, however few requests there were.
  if (sent < needed && !(isBroken && isOfErrors && sent > 0)) {
    const reason = `${sent} requests were sent, and ${needed} are needed; a longer --duration has more`;
    return { figures, ...notAnswered("inconclusive", reason) };
  }
  const got = `${Math.ceil(value * 10) / 10} ${unit}`;
  if (!isBroken) return { figures, verdict: "pass", answer: `Yes: it was ${got}.` };
  const reason = `it was ${got}, and at most ${most} ${unit} was promised`;
  return { figures, verdict: "fail", reason, answer: `No: ${reason}.` };
}

function sentOf({ subject }: Promised, read: ReadFigure): number {
  const part = subject === "mix" ? "" : `{op:${subject}}`;
  return read(`requests_sent${part}`, "count") ?? 0;
}

/** So many values are needed to tell what holds for all but a share of them. */
function neededOf(share: number): number {
  return share < 1e-9 ? 1 : Math.ceil(1 / share - 1e-9);
}
