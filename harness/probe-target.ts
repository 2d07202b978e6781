import type { Transport } from "../client/transport.ts";
import type { TransportResult } from "../client/exchange.ts";

/** Sends two harmless requests. Returns the first answer, or a failure where neither is answered. */
export async function probeTarget(
  transport: Transport,
  baseUrl: string,
  timeoutMs: number,
): Promise<TransportResult> {
  const asked = ["/", "/v2/queueproof-probe/health"].map(async (path) =>
    transport.send({
      method: "GET",
      url: baseUrl + path,
      headers: {},
      body: undefined,
      timeoutMs,
      signal: undefined,
      newConnection: true,
    }),
  );
  const first = await Promise.race(asked);
  if (first.answer !== undefined) return first;
  return (await Promise.all(asked)).find(({ answer }) => answer !== undefined) ?? first;
}
