import type { OperationName } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { askedFor } from "../recording/recorded-exchange.ts";
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

/** Looks at traffic for one requirement, by what holds whatever other clients do. */
export interface TrafficRule {
  readonly requirement: RequirementId;
  /** What traffic would show it, said where none did. */
  readonly shownBy: string;
  /** What each request, or several that belong together, show of it. */
  readonly observe: (traffic: ClientTraffic) => readonly Shown[];
}

/** A breach of a rule, that it holds, or nothing. */
export type Shown = Breach | "holds" | undefined;

/** How often a rule was seen to hold, and its breaches. */
export function observationOf(
  { observe }: TrafficRule,
  traffic: ClientTraffic,
): { readonly seen: number; readonly breaches: readonly Breach[] } {
  const shown = observe(traffic);
  return {
    seen: shown.filter((each) => each === "holds").length,
    breaches: shown.filter((each) => each !== undefined && each !== "holds"),
  };
}

/** Looks at each request by itself. */
export function ofEach(
  judge: (exchange: RecordedExchange, traffic: ClientTraffic) => Shown,
): TrafficRule["observe"] {
  return (traffic) => traffic.exchanges.map((exchange) => judge(exchange, traffic));
}

/** The operation that a request asks for; undefined where it is none. */
export function operationOf(
  exchange: RecordedExchange,
  { routes }: ClientTraffic,
): OperationName | undefined {
  return askedFor(exchange, routes)?.operation;
}
