import type { Deviations, Dialect } from "./schema.ts";

/** The live service, as its documentation, its clients and public captures show it; docs/dialects.md has the facts. */
export const runpod: Dialect = {
  name: "runpod",
  description: "The live service, as its documentation, its clients and public captures show it.",
  readings: {
    "ENDP-04": "a JSON object",
    "SYNC-08": "after 1 minute",
    "STAT-04": "milliseconds",
    "STAT-09": "404",
    "STAT-10": "404",
    "STRM-05": "an empty array",
  },
  deviations: {
    stream: { member: "stream", withoutMetrics: true },
    outputInProgress: true,
    skipsChecks: {
      "submit/odd-inputs-end":
        "the worker library cannot write a result that holds half a surrogate pair, and goes on with the job for ever",
    },
    tolerates: [
      ...aboveSevenDays("POLI-01", "executionTimeout", 5000),
      ...aboveSevenDays("POLI-02", "ttl", 10_000),
      {
        requirement: "POLI-04",
        what: "a job that runs past its executionTimeout becomes FAILED",
        got: "*FAILED*",
      },
      {
        requirement: "HOOK-04",
        what: "any 2xx acknowledges the call of a webhook",
        at: "attempts in all, each answered 2*",
        got: "1",
      },
      {
        requirement: "HOOK-05",
        what: "a failed call is made again after 5 s, and once more 15 s later",
        at: "attempt*",
      },
      {
        requirement: "HOOK-07",
        what: "any 2xx acknowledges the call of a webhook",
        at: "calls, the first of them answered 2*",
        got: "1",
      },
      {
        requirement: "HOOK-07",
        what: "any 2xx acknowledges the call of a webhook",
        at: "calls, the second of them answered 2*",
        got: "2",
      },
    ],
  },
};

/** Allows each value above 7 days that the checks send; the last one, cut to 32 bits, is the smallest valid value. */
function aboveSevenDays(
  requirement: "POLI-01" | "POLI-02",
  name: string,
  minMs: number,
): NonNullable<Deviations["tolerates"]> {
  return [604_800_001, Number.MAX_SAFE_INTEGER, 2 ** 32 + minMs].map((value) => ({
    requirement,
    what: `${name} has no upper bound`,
    at: `*${name} ${value}`,
    got: "status 2*",
  }));
}
