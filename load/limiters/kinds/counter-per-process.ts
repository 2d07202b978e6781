import { isNear } from "../distance.ts";
import type { LimiterKind, Admit } from "../kind.ts";
import { LimitBounds } from "../limit-bounds.ts";
import { byWindow } from "../search.ts";
import type { Timeline } from "../timeline.ts";
import { startFixedFromFirst } from "./fixed-from-first.ts";

const processesMax = 8;
/** More of them explain any trace. */
const processesSearched = [2, 3, 4];

/** Several processes count independently, and it is not known which of them a request goes to. */
export const counterPerProcess: LimiterKind = {
  name: "counter per process",
  reading: "fixed",
  start: ({ limit, windowMs, parts }) => startPerProcess(limit, windowMs, parts),
  search: byWindow((trace, windowMs) =>
    processesSearched.map((parts) => ({ parts, demands: demandsOf(trace, windowMs, parts) })),
  ).search,
  isLast: true,
  recognise: ({ limit, windowMs, explained }, declared) => {
    const times = limit / declared.limit;
    const isMultiple = Number.isInteger(times) && times >= 2 && times <= processesMax;
    const isMany = explained !== undefined && isMultiple && isNear(windowMs, declared.windowMs);
    return isMany ? { limit: declared.limit, windowMs, parts: times } : undefined;
  },
  remark: ({ parts }) => `as if ${parts} processes counted each for itself`,
};

/** Requests go to the processes in turn. */
function startPerProcess(limit: number, windowMs: number, processes: number): Admit {
  const takes = Array.from({ length: processes }, () => startFixedFromFirst(limit, windowMs));
  let next = 0;
  return (nowMs, count) => {
    let admitted = 0;
    for (let sent = 0; sent < count; sent += 1) {
      admitted += takes[next]?.(nowMs, 1) ?? 0;
      next = (next + 1) % processes;
    }
    return admitted;
  };
}

/** The bounds of each process's limit; the processes share what is admitted. Windows open with their first request. */
function demandsOf(trace: Timeline, windowMs: number, processes: number): LimitBounds {
  const demands = new LimitBounds();
  for (const { answeredMs, step } of trace.comparedAdmitted) {
    const windows = answeredMs < trace.firstMs + windowMs ? 1 : 2;
    const admitted = trace.admitted.surelyAfter(answeredMs - windowMs, answeredMs);
    demands.atLeast(step, Math.ceil(admitted / (processes * windows)));
  }
  for (const { sentMs, answeredMs, step } of trace.comparedRefused) {
    demands.atMost(step, trace.admitted.possibly(sentMs - windowMs, answeredMs));
  }
  return demands;
}
