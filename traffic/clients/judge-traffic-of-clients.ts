import type { Evidence } from "../../reports/model.ts";
import type { OperationRoute, RecordedExchange } from "../recording/recorded-exchange.ts";
import { SeenRequirements } from "../servers/seen.ts";
import { trafficRules } from "./results-of-run.ts";
import { observationOf } from "./traffic-rule.ts";

/** So many exchanges of a client are looked at together, so that memory stays flat however long a recording is. */
const exchangesTogether = 10_000;
const clientsKept = 100;

/** Judges the clients of a recording, told apart by their keys and what they call themselves. */
export class ClientJudge {
  readonly #requirements: SeenRequirements;
  readonly #clients = new Map<string, RecordedExchange[]>();
  readonly #routes: readonly OperationRoute[];
  readonly #evidenceOf: (recorded: RecordedExchange) => Evidence;
  #areHeadersRecorded = false;

  constructor(
    routes: readonly OperationRoute[],
    evidenceOf: (recorded: RecordedExchange) => Evidence,
    onFirstBreach?: ConstructorParameters<typeof SeenRequirements>[0],
  ) {
    this.#requirements = new SeenRequirements(onFirstBreach);
    this.#routes = routes;
    this.#evidenceOf = evidenceOf;
  }

  observe(recorded: RecordedExchange): void {
    const { authorization = "", "user-agent": agent = "" } = recorded.headers;
    if (authorization !== "") this.#areHeadersRecorded = true;
    const name = `${authorization.replace(/^Bearer /i, "")} ${agent}`;
    const known = this.#clients.get(name);
    if (known === undefined && this.#clients.size >= clientsKept) return;
    const exchanges = known ?? [];
    exchanges.push(recorded);
    this.#clients.set(name, exchanges);
    if (exchanges.length < exchangesTogether) return;
    this.#judge(exchanges);
    this.#clients.set(name, []);
  }

  end(): SeenRequirements {
    for (const exchanges of this.#clients.values()) this.#judge(exchanges);
    this.#clients.clear();
    return this.#requirements;
  }

  #judge(unsorted: readonly RecordedExchange[]): void {
    const exchanges = unsorted.toSorted((one, other) => one.arrivedMs - other.arrivedMs);
    const keys = exchanges.flatMap(({ headers }) => headers["authorization"] ?? []);
    const bare = new Set(keys.map((key) => key.replace(/^Bearer /i, "")).filter(isKey));
    for (const rule of trafficRules) {
      // Recorders of browsers and tools leave the header out.
      if (rule.requirement === "CLNT-01" && !this.#areHeadersRecorded) continue;
      const traffic = { exchanges, routes: this.#routes, keys: [...bare], origin: undefined };
      const { seen, breaches } = observationOf(rule, traffic);
      if (seen > 0) this.#requirements.held(rule.requirement, "requests", seen);
      for (const { at, expected, got, exchange } of breaches) {
        this.#requirements.broken(rule.requirement, () => ({
          at,
          expected,
          got,
          evidence: exchange === undefined ? [] : [this.#evidenceOf(exchange)],
        }));
      }
    }
  }
}

/** Shorter texts stand in any URL by chance. */
function isKey(text: string): boolean {
  return text.length >= 8;
}
