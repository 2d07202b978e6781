import type { LoadSamples } from "../../reports/model.ts";
import type { BookedRequest } from "./job-book.ts";

/** Requests as columns, in the order of sending, in ms from the start of the load. */
export function columnsOf(
  requests: readonly BookedRequest[],
  startMs: number,
): Pick<LoadSamples, "clock" | "intendedMs" | "sentMs" | "answeredMs" | "status"> {
  const sorted = requests.toSorted((one, other) => one.sentMs - other.sentMs);
  const column = (value: (request: BookedRequest) => number): Float64Array =>
    Float64Array.from(sorted, (request) => value(request) - startMs);
  return {
    clock: "real",
    intendedMs: column(({ plannedMs }) => plannedMs),
    sentMs: column(({ sentMs }) => sentMs),
    answeredMs: column(({ answeredMs }) => answeredMs),
    status: Uint16Array.from(sorted, ({ status }) => status),
  };
}
