import { Transport } from "../../client/transport.ts";
import type { RequestRules } from "../../client/request-rules.ts";
import type { Engine } from "../../reports/load/side-by-side.ts";
import type { K6RateSettings } from "../../scenarios/k6/settings.ts";
import { fireBurst } from "../../load/autocannon/burst.ts";
import { k6Script } from "../../load/k6/rate.ts";
import { runK6 } from "../../load/k6/run.ts";
import { countOf } from "../../load/k6/summary.ts";
import { Pool } from "../../load/probe/pool.ts";
import { serialise } from "../../load/probe/request.ts";
import { isInCi } from "../tools.ts";
import { findTool } from "../../load/go-tools/find.ts";
import { k6Tool } from "../../load/k6/tool.ts";
import type { FoundTool } from "../../load/go-tools/find.ts";

const { k6, reason } = await realK6();

/** Why k6 cannot be tried; empty where it can. */
export const noK6 = k6 === undefined ? reason : "";

/** The key that they all send, to an endpoint called `e`. */
export const sentKey = "key-of-the-senders";

const headers = { authorization: sentKey };

/** How a few requests to `{baseUrl}/v2/e/health` were answered. */
export interface Answers {
  readonly accepted: number;
  readonly other: number;
}

export type Send = (baseUrl: string, rules: RequestRules) => Promise<Answers>;

/** Everything that sends requests to a target; a new sender has to keep to the rules, too. */
export const senders: Readonly<Record<Engine | "client", Send>> = {
  client: async (baseUrl, rules) => {
    const transport = new Transport(rules);
    const { timeoutMs } = rules;
    const request = { method: "GET", headers, body: undefined, signal: undefined } as const;
    const send = async (): Promise<number | undefined> =>
      (await transport.send({ ...request, url: `${baseUrl}/v2/e/health`, timeoutMs })).answer
        ?.status;
    const statuses = [await send(), await send()];
    await transport.close();
    return answersOf(statuses);
  },
  probe: async (baseUrl, rules) => {
    const pool = new Pool(new URL(baseUrl), rules);
    const request = serialise({ method: "GET", url: `${baseUrl}/v2/e/health`, headers }, rules);
    const exchanges = [await pool.send(request), await pool.send(request)];
    pool.close();
    return answersOf(exchanges.map(({ answer }) => answer?.status));
  },
  autocannon: async (baseUrl, rules) => {
    const { origin, pathname } = new URL(baseUrl);
    const path = `${pathname.replace(/\/$/, "")}/v2/e/health`;
    const request = { method: "GET", path, headers } as const;
    const limits = { amount: 3, connections: 1, timeLimitMs: 20_000 };
    return fireBurst({ rules, origin, request, ...limits });
  },
  k6: async (baseUrl, rules) => {
    const requests = { perWindow: 5, windowMs: 1_000, durationMs: 1_000, startMs: 0 };
    const endpoint = { url: `${baseUrl}/v2/e`, authorization: sentKey };
    const bounds = { min: 0, max: 10 };
    const phase = { name: "some", operation: "health", endpoint, ...requests } as const;
    const limits = { inFlightMax: 5, errorMsMax: 60_000, sent: bounds, accepted: bounds };
    const { summary = new Map() } = await runK6({
      k6: { path: k6?.path ?? "" },
      rules,
      script: k6Script("rate"),
      settings: { phases: [{ ...phase, ...limits }] } satisfies K6RateSettings,
      timeLimitMs: 60_000,
      environment: process.env,
    });
    return {
      accepted: countOf(summary, "requests_accepted{phase:some}"),
      other: countOf(summary, "requests_other{phase:some}"),
    };
  },
};

function answersOf(statuses: readonly (number | undefined)[]): Answers {
  return {
    accepted: statuses.filter((status) => status === 200).length,
    other: statuses.filter((status) => status !== undefined && status !== 200).length,
  };
}

/** The k6 that tests run, or why they are skipped. In CI its absence is an error. */
export async function realK6(): Promise<{ readonly k6?: FoundTool; readonly reason: string }> {
  const found = await findTool(k6Tool, process.env);
  if (!("missing" in found)) return { k6: found, reason: "" };

  if (isInCi()) throw new Error(`k6 has to run here: ${found.missing}`);
  return { reason: found.missing };
}
