import { Redactor, excerpt } from "../../client/index.ts";
import type { RequirementId } from "../../openapi/index.ts";
import type {
  Evidence,
  LimiterIdentification,
  LoadSamples,
  Mismatch,
  Reading,
} from "../../reports/model.ts";
import type { Sample } from "./tally.ts";

export type Figures = Record<string, number | string>;

const evidenceMax = 5;

/** What one check has compared and seen so far. */
export class Findings {
  readonly mismatches: Mismatch[] = [];
  readonly readings: Reading[] = [];
  readonly evidence: Evidence[] = [];
  readonly figures: Figures = {};
  /** Every request of what was measured. */
  readonly samples: LoadSamples[] = [];
  limiter: LimiterIdentification | undefined;
  readonly requirement: RequirementId;
  comparisons = 0;
  readonly #redactor = new Redactor();
  readonly #beganMs = performance.now();

  constructor(requirement: RequirementId) {
    this.requirement = requirement;
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

  read(reading: string, at: string): void {
    this.comparisons += 1;
    this.readings.push({ requirement: this.requirement, reading, at });
  }

  #evidenceOf({ request, apiKey, shot }: Sample): Evidence {
    this.#redactor.add("key", apiKey);
    const { method, url, body } = request;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, this.#redactor.redact(value)]),
    );
    const data = body === undefined ? "" : ` --data '${body}'`;
    const { answer, failure, sentMs, answeredMs } = shot;
    const {
      status,
      headers: answered,
      body: text,
    } = answer ?? { status: 0, headers: {}, body: "" };
    return {
      request: { method, url, headers, body: body ?? null },
      response:
        answer === undefined
          ? null
          : { status, headers: answered, body: excerpt(text, this.#redactor) },
      ...(failure === undefined ? {} : { error: failure }),
      atMs: Math.max(0, Math.round(sentMs - this.#beganMs)),
      durationMs: Math.round(answeredMs - sentMs),
      curl: `curl -X ${method} -H "authorization: $QUEUEPROOF_API_KEY" -H 'content-type: application/json'${data} '${url}'`,
    };
  }
}
