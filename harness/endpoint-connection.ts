import type { ControlCall } from "../client/control-client.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Redactor } from "../client/redactor.ts";
import type { CheckBudget } from "./check-budget.ts";
import type { EndpointLease } from "./endpoint/endpoint-lease.ts";

/** What one check brings along when it opens an endpoint. */
export interface EndpointConnection {
  /** The check's own: it learns the keys of the endpoints that are made. */
  readonly redactor: Redactor;
  readonly onExchange: (exchange: Exchange) => void;
  readonly onControl: (call: ControlCall) => void;
  /** Called with the id of each endpoint that was made. */
  readonly onEndpoint: (endpointId: string) => void;
  /** The check's name. */
  readonly check: string;
  /** How long the check lasts on a real clock, in milliseconds. */
  readonly checkMs: number;
  /** The check's hold on its endpoint. */
  readonly lease: EndpointLease;
  /** Whether it also calls operations that the run no longer calls because they never answered. */
  readonly insists: boolean;
  /** Ends the check from outside. */
  readonly budget: CheckBudget;
}
