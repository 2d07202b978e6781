import { ReceiverServer } from "../../harness/webhooks/receiver-server.ts";
import type { Behaviour } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import { requirementIds } from "../../openapi/requirements.ts";
import { surface } from "../../reference/behaviour/surface.ts";
import type { CheckResult } from "../../reports/model.ts";
import { TrafficJudge } from "../../traffic/judge-traffic.ts";
import type { RecordedExchange } from "../../traffic/recording/recorded-exchange.ts";
import { startRelay } from "../../traffic/recording/relay.ts";
import { sendMixedTraffic } from "./mixed-traffic.ts";

/** Sends mixed traffic to a reference of this behaviour; returns what was recorded of it and of a receiver of webhooks. */
export async function recordedMix(behaviour: Behaviour): Promise<readonly RecordedExchange[]> {
  const reference = await startReference({ behaviour, control: false });
  const exchanges: RecordedExchange[] = [];
  const onExchange = (exchange: RecordedExchange): void => void exchanges.push(exchange);
  const relay = await startRelay({ baseUrl: reference.baseUrl, onExchange });
  const receiver = await ReceiverServer.start({}, (request, response) => {
    request.on("end", () => response.end()).resume();
  });
  const webhooks = await startRelay({ baseUrl: receiver.url, onExchange });
  try {
    await sendMixedTraffic({
      ...reference,
      baseUrl: relay.baseUrl,
      webhook: `${webhooks.baseUrl}/hook`,
    });
  } finally {
    await relay.stop();
    await webhooks.stop();
    await receiver.close();
    await reference.stop();
  }
  return exchanges;
}

/** Judges a server by a recording alone; nobody else used it, unless that is said. */
export function judgedBy(
  exchanges: readonly RecordedExchange[],
  isSoleClient = true,
): readonly CheckResult[] {
  const judge = new TrafficJudge({
    judged: ["server"],
    routes: surface.routes,
    only: new Set(requirementIds),
    isSoleClient,
    allowance: isSoleClient ? 0 : undefined,
  });
  for (const exchange of exchanges) judge.observe(exchange);
  return judge.end();
}

/** The requirements that failed, each with its first difference. */
export function failuresIn(results: readonly CheckResult[]): readonly string[] {
  return results
    .filter(({ verdict }) => verdict === "fail")
    .map(
      ({ covers, mismatches = [] }) =>
        `${covers.join()}: ${mismatches[0]?.at}: expected ${mismatches[0]?.expected}, got ${mismatches[0]?.got}`,
    );
}
