import { Answer } from "../../client/exchange.ts";
import { Redactor } from "../../client/redactor.ts";
import { addSecrets, commonHeaders, shownHeaders } from "../../client/request-rules.ts";
import type { RequestRules } from "../../client/request-rules.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type {
  Evidence,
  LimiterIdentification,
  LoadSamples,
  Mismatch,
  Reading,
} from "../../reports/model.ts";
import { evidenceOf } from "../../harness/evidence/evidence.ts";
import type { Sample } from "./tally.ts";

const evidenceMax = 5;

/** How the requests of a check were sent. */
export interface Sending {
  readonly rules: RequestRules;
  /** When they began, as `performance.now()` tells it. */
  readonly startedAtMs: number;
}

/** What one check has compared and seen so far. */
export class LoadFindings {
  readonly mismatches: Mismatch[] = [];
  readonly readings: Reading[] = [];
  readonly evidence: Evidence[] = [];
  readonly figures: Record<string, number | string> = {};
  /** What is told beside the verdict, and fails nothing. */
  readonly warnings: string[] = [];
  /** Every measured request. */
  readonly samples: LoadSamples[] = [];
  limiter: LimiterIdentification | undefined;
  readonly requirement: RequirementId;
  /** What was seen of requirements that the check does not cover. */
  readonly beside = new Map<RequirementId, LoadFindings>();
  comparisons = 0;
  readonly #redactor = new Redactor();
  readonly #sending: Sending;

  constructor(requirement: RequirementId, sending: Sending) {
    this.requirement = requirement;
    this.#sending = sending;
    addSecrets(sending.rules, this.#redactor);
  }

  /** The findings about another requirement, which are a result of their own. */
  of(requirement: RequirementId): LoadFindings {
    if (requirement === this.requirement) return this;
    const known = this.beside.get(requirement);
    if (known !== undefined) return known;
    const findings = new LoadFindings(requirement, this.#sending);
    this.beside.set(requirement, findings);
    return findings;
  }

  /** Compares; a difference is kept with the exchanges that show it. */
  equal(
    at: string,
    expected: number | string,
    got: number | string,
    samples: readonly Sample[] = [],
  ): void {
    this.comparisons += 1;
    if (expected === got) return;
    const { requirement } = this;
    this.mismatches.push({ requirement, at, expected: String(expected), got: String(got) });
    for (const sample of samples) {
      if (this.evidence.length < evidenceMax) this.evidence.push(this.#evidenceOf(sample));
    }
  }

  addReading(reading: string, at: string): void {
    this.comparisons += 1;
    this.readings.push({ requirement: this.requirement, reading, at });
  }

  #evidenceOf({ request, apiKey, exchange }: Sample): Evidence {
    this.#redactor.add("key", apiKey);
    const { method, url, body } = request;
    const { rules, startedAtMs } = this.#sending;
    const trace = exchange.traceparent === undefined ? {} : { traceparent: exchange.traceparent };
    const sent = { ...request.headers, ...trace, ...commonHeaders(rules, new URL(url)) };
    const headers = Object.fromEntries(
      Object.entries(shownHeaders(rules, sent)).map(([name, value]) => [
        name,
        this.#redactor.redact(value),
      ]),
    );
    const { answer, failure, sentMs, answeredMs } = exchange;
    return evidenceOf(
      {
        request: { method, url, headers, body },
        answer: answer && new Answer(answer.status, answer.headers, answer.body),
        failure: failure === undefined ? undefined : { kind: "connection", message: failure },
        sentAtMs: sentMs,
        answeredAtMs: answeredMs,
      },
      this.#redactor,
      { startedAtMs },
    );
  }
}
