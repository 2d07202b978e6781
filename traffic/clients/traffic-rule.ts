import type { RequirementId } from "../../openapi/requirements.ts";
import type { RecordedExchange, OperationRoute } from "../recording/recorded-exchange.ts";
import type { Breach } from "../decision.ts";

/** Requests of one client, in the order in which they came, with what is known of the service that it means to ask. */
export interface ClientTraffic {
  readonly exchanges: readonly RecordedExchange[];
  readonly routes: readonly OperationRoute[];
  /** The keys that were given to the client. */
  readonly keys: readonly string[];
  /** Where the client was told to ask; undefined where any address is the service's. */
  readonly origin: string | undefined;
}

/** What traffic shows of one requirement. */
export interface ClientObservation {
  /** How often it was seen in full. */
  readonly seen: number;
  readonly breaches: readonly Breach[];
}

/** Looks at traffic for one requirement, by what holds whatever other clients do. */
export interface TrafficRule {
  readonly requirement: RequirementId;
  /** What traffic would show it, said where none did. */
  readonly shownBy: string;
  readonly observe: (traffic: ClientTraffic) => ClientObservation;
}

/** What one request, or several that belong together, show of a rule: a breach, that it holds, or nothing. */
export type Shown = Breach | "holds" | undefined;

/** Gathers what each of them shows. */
export function observationOf(shown: readonly Shown[]): ClientObservation {
  return {
    seen: shown.filter((each) => each === "holds").length,
    breaches: shown.filter((each) => each !== undefined && each !== "holds"),
  };
}

/** Looks at each request by itself. */
export function ofEach(
  judge: (exchange: RecordedExchange, traffic: ClientTraffic) => Shown,
): TrafficRule["observe"] {
  return (traffic) => observationOf(traffic.exchanges.map((exchange) => judge(exchange, traffic)));
}
