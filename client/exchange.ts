import type { OperationName } from "../openapi/index.ts";

/** Why there is no answer. `protocol`: what came was no HTTP answer; `too-large`: it was cut off at the limit. */
export type FailureKind = "timeout" | "aborted" | "connection" | "protocol" | "too-large";

/** A request that got no whole answer. */
export interface ExchangeFailure {
  readonly kind: FailureKind;
  readonly message: string;
}

/** What was sent, with keys and secrets replaced by `***`. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Which key was sent: the name under which the redactor knows it. */
  readonly keyName: string | undefined;
  /** A redacted excerpt; `undefined` when no body was sent. */
  readonly body: string | undefined;
  readonly bodyBytes: number;
}

/** What came back. The body stays out of reach of printers and serialisers until `bodyOf` asks for it. */
export class Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #text: string;

  constructor(status: number, headers: Readonly<Record<string, string>>, text: string) {
    this.status = status;
    this.headers = headers;
    this.#text = text;
  }

  /** The body as it came, unredacted: for checks, never for a report. */
  rawText(): string {
    return this.#text;
  }
}

/** One request and what became of it. Times are milliseconds since the Unix epoch on a clock that never steps back. */
export interface Exchange {
  readonly operation: OperationName;
  readonly request: SentRequest;
  /** `undefined` when no whole answer came: then `failure` says why. */
  readonly answer: Answer | undefined;
  readonly failure: ExchangeFailure | undefined;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** A body as JSON, or why it is none. */
export type ParsedBody =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

/** Parses the body of an answer. The value is unknown until a validator has read it. */
export function bodyOf(answer: Answer): ParsedBody {
  const text = answer.rawText();
  if (text === "") return { ok: false, why: "an empty body" };
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value };
  } catch {
    return { ok: false, why: "a body that is not JSON" };
  }
}

/** The current moment in milliseconds since the epoch, with fractions, never stepping back. */
export function monotonicNowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** What became of a request that got no whole answer, in a few words. */
export function describeFailure({ failure }: Exchange): string {
  if (failure === undefined) return "answered";
  return failure.kind === "connection" ? `no answer: ${failure.message}` : failure.message;
}
