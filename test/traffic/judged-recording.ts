import { requirementIds } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { surface } from "../../reference/behaviour/surface.ts";
import type { CheckResult } from "../../reports/model.ts";
import { TrafficJudge } from "../../traffic/judge-traffic.ts";
import type { RecordedExchange } from "../../traffic/recording/recorded-exchange.ts";

/** An exchange as a test writes it down; what it does not say is a success without bodies. */
export interface WrittenExchange {
  readonly atMs: number;
  readonly method?: "GET" | "POST" | "PUT";
  readonly target: string;
  /** The body of the request, and of the answer. */
  readonly sent?: unknown;
  readonly got?: unknown;
  readonly status?: number;
  readonly tookMs?: number;
  /** The client closed the connection before it was answered. */
  readonly isBrokenOff?: boolean;
}

function bodyOf(value: unknown) {
  return {
    bytes: Buffer.from(value === undefined ? "" : JSON.stringify(value)),
    kind: "whole",
  } as const;
}

function recorded(written: WrittenExchange, index: number): RecordedExchange {
  const { atMs, method = "GET", target, sent, got, status = 200, tookMs = 1 } = written;
  const endedMs = atMs + tookMs;
  const headers = { "content-type": "application/json" };
  return {
    number: index + 1,
    connection: 1,
    method,
    origin: "http://127.0.0.1:1",
    target,
    headers: { authorization: "a-key-of-a-test" },
    body: bodyOf(sent),
    arrivedMs: atMs,
    ...(written.isBrokenOff === true
      ? { brokenOff: { by: "client", atMs: endedMs } }
      : { answer: { status, headers, body: bodyOf(got), beganMs: endedMs, endedMs } }),
  };
}

interface Judging {
  readonly isSoleClient?: boolean;
  readonly allowance?: number;
}

/** What traffic shows of each requirement of servers: pass, fail, or not-run where it shows a breach alone. */
export function verdictsOf(
  exchanges: readonly WrittenExchange[],
  judging: Judging = {},
): Readonly<Partial<Record<RequirementId, string>>> {
  const results = resultsOf(exchanges, judging);
  return Object.fromEntries(
    results.flatMap(({ covers, verdict }) => covers.map((id) => [id, verdict])),
  );
}

/** The same, check by check. */
export function resultsOf(
  exchanges: readonly WrittenExchange[],
  { isSoleClient = true, allowance }: Judging = {},
): readonly CheckResult[] {
  const judge = new TrafficJudge({
    judged: ["server"],
    routes: surface.routes,
    only: new Set(requirementIds),
    isSoleClient,
    allowance,
  });
  for (const [index, each] of exchanges.entries()) judge.observe(recorded(each, index));
  return judge.end();
}
