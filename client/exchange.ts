import type { OperationName } from "../openapi/operations.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import { beginning } from "./beginning.ts";
import type { MadeUpKey } from "./made-up-key.ts";
import { printable } from "./printable.ts";

/**
 * Why there is no answer. `refused`: nobody listens; `connection`: the connection was closed before the whole answer
 * came; `protocol`: what came was no HTTP answer; `too-large`: the answer was cut off at the limit; `lacking`: the
 * service is known not to have the operation, so that nothing was sent; `unsendable`: HTTP has no such request, so that
 * nothing was sent, which is no fault of the target's; `unanswered`: the request was sent several
 * times without an answer, while the target answered something else.
 */
export type FailureKind =
  | "timeout"
  | "aborted"
  | "refused"
  | "connection"
  | "protocol"
  | "too-large"
  | "lacking"
  | "unsendable"
  | "unanswered";

/** A request that got no whole answer. */
export interface ExchangeFailure {
  readonly kind: FailureKind;
  readonly message: string;
  /** The id of the cause that was learned for it, where nothing was sent. */
  readonly cause?: string;
}

/** What was sent, with keys and secrets replaced by `***`. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Which key was sent: the name under which the redactor knows it. */
  readonly keyName: string | undefined;
  /** What was sent in place of a key, where a check made it up. */
  readonly madeUpKey?: MadeUpKey | undefined;
  /** A redacted excerpt; `undefined` when no body was sent. */
  readonly body: string | undefined;
  readonly bodyBytes: number;
  readonly endpointId: string;
  /** The job that the path names, as it was given to the client: a path may have to write it differently. */
  readonly jobId: string | undefined;
}

/** Much more than reports show of a body. */
const keptCharactersMax = 65_536;

/** What came back. The body is private, so that nothing prints or serialises it by chance. */
export class Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What keeps the text from being what was sent, such as `a body that is not UTF-8`. */
  readonly unreadable: string | undefined;
  #text: string;
  readonly #characters: number;
  #original: Answer | undefined;

  constructor(
    status: number,
    headers: Readonly<Record<string, string>>,
    text: string,
    unreadable?: string,
  ) {
    this.status = status;
    this.headers = headers;
    this.unreadable = unreadable;
    this.#text = text;
    this.#characters = text.length;
  }

  /** How many characters the body had when it came. */
  get characters(): number {
    return this.#characters;
  }

  /**
   * Forgets all of a long body but its beginning: what a run keeps of an answer once it was judged is what reports show,
   * and bodies of megabytes would fill the memory.
   */
  shorten(): void {
    this.#text = beginning(this.#text, keptCharactersMax);
    this.#original?.shorten();
  }

  /** The same answer with another status or text, as a translation gives it; `asSent` still tells what came. */
  translated({ status = this.status, text = this.#text }: TranslatedParts): Answer {
    const answer = new Answer(status, this.headers, text, this.unreadable);
    answer.#original = this.asSent;
    return answer;
  }

  /** What really came: this answer, unless it was translated. */
  get asSent(): Answer {
    return this.#original ?? this;
  }

  /** The body as it came, unredacted: for checks, never for a report. */
  rawText(): string {
    return this.#text;
  }
}

interface TranslatedParts {
  readonly status?: number;
  readonly text?: string;
}

/** When a request was sent and answered, in milliseconds since the Unix epoch on a clock that never steps back. */
export interface RequestSpan {
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** A known way in which a service departs from the specification, as it was met. */
export interface MetDeviation {
  readonly requirement: RequirementId;
  /** What the service does instead, in one sentence. */
  readonly what: string;
  /** An example of it. */
  readonly seen: string;
}

/** What became of one request. */
export interface TransportResult extends RequestSpan {
  /** `undefined` when no whole answer came: then `failure` says why. */
  readonly answer: Answer | undefined;
  readonly failure: ExchangeFailure | undefined;
  /** Whether no connection was idle when it was sent: a new one may be taken in later than requests on those there are. */
  readonly findsNoConnection?: boolean;
  /** The failures of earlier attempts, where the request was sent again until it was answered. */
  readonly unanswered?: readonly ExchangeFailure[];
}

/** One request of an operation and what became of it. */
export interface Exchange extends TransportResult {
  readonly operation: OperationName;
  readonly request: SentRequest;
  /** The known deviations that a translation had to make up for. */
  readonly deviations?: readonly MetDeviation[];
}

const { timeOrigin } = performance;

/** The current moment in milliseconds since the epoch, with fractions, never stepping back. */
export function monotonicNowMs(): number {
  return timeOrigin + performance.now();
}

const withoutAnswer: ReadonlySet<FailureKind> = new Set(["connection", "refused", "unanswered"]);

/** Describes in a few words why a request got no whole answer. */
export function describeFailure({ failure }: Pick<Exchange, "failure">): string {
  if (failure === undefined) return "answered";
  const message = printable(failure.message);
  return withoutAnswer.has(failure.kind) ? `no answer: ${message}` : message;
}
