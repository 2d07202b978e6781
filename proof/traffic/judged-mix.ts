import type { Behaviour } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import { requirementIds } from "../../openapi/requirements.ts";
import { surface } from "../../reference/behaviour/surface.ts";
import type { CheckResult } from "../../reports/model.ts";
import { TrafficJudge } from "../../traffic/judge-traffic.ts";
import type { RecordedExchange } from "../../traffic/recording/recorded-exchange.ts";
import { startRelay } from "../../traffic/recording/relay.ts";
import { sendMixedTraffic } from "./mixed-traffic.ts";

/** Sends mixed traffic to a reference of this behaviour, records it, and judges the server by the recording alone. */
export async function judgedMix(
  behaviour: Behaviour,
  change: (exchanges: readonly RecordedExchange[]) => readonly RecordedExchange[] = (all) => all,
): Promise<readonly CheckResult[]> {
  const reference = await startReference({ behaviour, control: false });
  const exchanges: RecordedExchange[] = [];
  const relay = await startRelay({
    baseUrl: reference.baseUrl,
    onExchange: (exchange) => exchanges.push(exchange),
  });
  try {
    await sendMixedTraffic({ ...reference, baseUrl: relay.baseUrl });
  } finally {
    await relay.stop();
    await reference.stop();
  }
  const judge = new TrafficJudge({
    judged: ["server"],
    routes: surface.routes,
    only: new Set(requirementIds),
    isSoleClient: true,
    allowance: 0,
    hasBodies: true,
  });
  for (const exchange of change(exchanges)) judge.observe(exchange);
  return judge.end();
}

/** The requirements that failed, each with its first difference. */
export function failuresIn(results: readonly CheckResult[]): readonly string[] {
  return results
    .filter(({ verdict }) => verdict === "fail")
    .map(({ covers, mismatches = [] }) => `${covers.join()}: ${mismatches[0]?.at}: expected ${mismatches[0]?.expected}, got ${mismatches[0]?.got}`);
}
