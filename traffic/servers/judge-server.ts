import type { Exchange } from "../../client/exchange.ts";
import type { Redactor } from "../../client/redactor.ts";
import type { ConfiguredDialect } from "../../harness/dialects/configured-dialect.ts";
import { Discovery } from "../../harness/discovery/discovery.ts";
import { dialectOfTraffic } from "../../harness/discovery/learned-dialect.ts";
import { History } from "../../harness/history.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Evidence } from "../../reports/model.ts";
import { judgeHistory } from "../../contracts/history/judge-history.ts";
import type { HistoryJudge } from "../../contracts/history/claim.ts";
import type { OperationRoute, RecordedExchange } from "../recording/recorded-exchange.ts";
import { judgeAnswer } from "./answer-rules.ts";
import { KnownJobs } from "./job-rules.ts";
import { KnownKeys } from "./key-rules.ts";
import { KnownRates } from "./limit-rules.ts";
import { judgePayloadSize, judgeRefusals } from "./refusal-rules.ts";
import { judgeSecrets, SentSecrets } from "./secret-rules.ts";
import { seenExchange } from "./seen-exchange.ts";
import { SeenRequirements } from "./seen.ts";
import { KnownStreams } from "./stream-rules.ts";
import { KnownWebhooks } from "./webhook-rules.ts";
import type { TrafficBreach } from "./seen.ts";

export interface ServerTraffic {
  readonly redactor: Redactor;
  readonly routes: readonly OperationRoute[];
  readonly evidenceOf: (recorded: RecordedExchange) => Evidence;
  /** Whether nobody else used the endpoints: only then counts and limits are judged. */
  readonly isSoleClient: boolean;
  /** The limits' allowance for each worker; undefined: limits are not judged. */
  readonly allowance: number | undefined;
  readonly onFirstBreach?: ((id: RequirementId, breach: TrafficBreach) => void) | undefined;
}

/** So many exchanges are judged as one history, so that memory stays flat however long a recording is. */
const exchangesOfHistory = 20_000;

/** Judges a server by traffic that others send, exchange by exchange, in the order in which they ended. */
export class ServerJudge {
  readonly requirements: SeenRequirements;
  /** What was learned of the server: in which other forms it answers. */
  readonly discovery: Discovery;
  readonly #dialect: ConfiguredDialect;
  /** Where the exchanges come from of which something may be learned. */
  readonly #recorded = new WeakMap<Exchange, RecordedExchange>();
  readonly #traffic: ServerTraffic;
  readonly #jobs: KnownJobs;
  readonly #keys: KnownKeys;
  readonly #rates: KnownRates | undefined;
  readonly #streams: KnownStreams | undefined;
  readonly #webhooks: KnownWebhooks;
  readonly #secrets = new SentSecrets();
  readonly #accepted = new Set<string>();
  #history: History;
  #inHistory = 0;

  constructor(traffic: ServerTraffic) {
    this.#traffic = traffic;
    this.discovery = new Discovery(traffic.redactor);
    this.discovery.evidenceFor = (exchange) => this.#evidenceFor(exchange);
    this.#dialect = dialectOfTraffic(this.discovery);
    const { allowance, isSoleClient, routes } = traffic;
    this.requirements = new SeenRequirements(traffic.onFirstBreach);
    this.#keys = new KnownKeys(this.requirements);
    this.#jobs = new KnownJobs(this.requirements, isSoleClient);
    this.#streams = isSoleClient ? new KnownStreams(this.requirements, routes) : undefined;
    this.#webhooks = new KnownWebhooks(this.requirements, {
      evidenceOf: traffic.evidenceOf,
      translated: (text) => this.#dialect.webhookBody(text).text,
      isSoleClient,
    });
    this.#rates =
      allowance === undefined || !isSoleClient
        ? undefined
        : new KnownRates(this.requirements, allowance);
    this.#history = this.#newHistory();
  }

  observe(recorded: RecordedExchange): void {
    const { routes, evidenceOf } = this.#traffic;
    const seen = seenExchange(recorded, routes, {
      evidenceOf,
      translated: (exchange) => {
        this.#recorded.set(exchange, recorded);
        return this.#dialect.exchange(exchange);
      },
    });
    if (seen === undefined) return this.#observeOther(recorded);
    judgeRefusals(seen, this.#accepted, this.requirements);
    judgePayloadSize(seen, this.requirements);
    judgeAnswer(seen, this.requirements);
    judgeSecrets(seen, this.#secrets, this.requirements);
    this.#keys.observe(seen);
    this.#jobs.observe(seen);
    this.#streams?.observe(seen);
    this.#webhooks.observe(seen);
    this.#rates?.observe(seen);
    if (seen.status === 429) return undefined;
    this.#history.observe(seen.exchange, seen.evidence);
    this.#inHistory += 1;
    if (this.#inHistory >= exchangesOfHistory) this.#judgeHistory();
    return undefined;
  }

  /** Looks at what is no answered request of the API. */
  #observeOther(recorded: RecordedExchange): void {
    this.#streams?.lost(recorded);
    this.#webhooks.observeOther(recorded);
  }

  /** Judges what only the whole shows. */
  end(): SeenRequirements {
    this.#judgeHistory();
    this.#keys.end();
    this.#streams?.end();
    this.#webhooks.end();
    return this.requirements;
  }

  #evidenceFor(exchange: Exchange): Evidence {
    const recorded = this.#recorded.get(exchange);
    if (recorded === undefined) throw new Error("something was learned of what was not recorded");
    return this.#traffic.evidenceOf(recorded);
  }

  #newHistory(): History {
    return new History({ keepsCounts: this.#traffic.isSoleClient });
  }

  #judgeHistory(): void {
    const attached: Evidence[] = [];
    const judge: HistoryJudge = {
      attach: (evidence) => attached.push(evidence),
      expect: {
        of: (id) => ({
          that: (holds, words) => {
            if (holds) this.requirements.held(id, "status");
            else {
              const from = attached.length;
              // Evidence is attached after the comparison.
              this.requirements.broken(id, () => ({
                ...words,
                get evidence() {
                  return attached.slice(from, from + 2);
                },
              }));
            }
            return holds;
          },
        }),
      },
    };
    if (!this.#traffic.isSoleClient) allowUnseenRetries(this.#history);
    judgeHistory(this.#history, judge);
    this.#history = this.#newHistory();
    this.#inHistory = 0;
  }
}

/** Somebody else may have retried a job that failed, and what follows is then another try. */
function allowUnseenRetries(history: History): void {
  for (const { sightings, retries } of history.jobs()) {
    const failed = sightings.find(({ status }) => status === "FAILED" || status === "TIMED_OUT");
    if (failed === undefined) continue;
    retries.push({ sentAtMs: failed.sentAtMs, answeredAtMs: Number.POSITIVE_INFINITY });
  }
}
