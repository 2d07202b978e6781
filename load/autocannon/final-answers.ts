/** The parser of a connection, which calls back by numbers that its constructor names. */
interface AnswerParser {
  readonly type: string;
  readonly state: string;
  readonly constructor: {
    readonly kOnHeadersComplete: number;
    readonly kOnMessageComplete: number;
  };
  readonly reinitialize: (type: string) => void;
  [callback: number]: ((head?: AnswerHead) => unknown) | undefined;
}

interface AnswerHead {
  readonly statusCode: number;
  readonly shouldKeepAlive: boolean;
}

// The names of autocannon's methods.
const connect = "_connect";
const sendNext = "_doRequest";
const resetConnection = "_resetConnection";

/** What autocannon's connection consists of. */
interface BurstConnection extends Record<
  typeof connect | typeof sendNext | typeof resetConnection,
  () => void
> {
  readonly parser: AnswerParser;
  readonly pipelinedRequests: { readonly clear: () => void };
  readonly responseMax?: number;
  readonly reqsMade: number;
}

/**
 * Lets a connection of autocannon read answers as HTTP has them. By itself it takes a 102 or 103 for the answer, sends
 * the next request on a connection that the server has said it closes, waits for ever for a body that ends with its
 * connection, and goes on with half an answer where a connection ended within it.
 * @throws TypeError where autocannon is not made as this knows it
 */
export function countFinalAnswers(connection: object): void {
  if (!isBurstConnection(connection)) {
    throw new TypeError("autocannon does not show its connections: its answers cannot be counted");
  }
  const answers = new AnswersOfConnection(connection);
  const connectAsBefore = connection[connect].bind(connection);
  const sendAsBefore = connection[sendNext].bind(connection);
  connection[connect] = () => {
    answers.listen();
    if (answers.endWithConnection()) return;
    answers.forget();
    connectAsBefore();
  };
  connection[sendNext] = () => {
    const { responseMax = Infinity, reqsMade } = connection;
    if (answers.wasLast && reqsMade < responseMax) connection[resetConnection]();
    else sendAsBefore();
  };
}

/** The answers that come over the connections that one of autocannon's has one after the other. */
class AnswersOfConnection {
  readonly #connection: BurstConnection;
  /** Of the answer that is coming or came last; absent where none has come over this connection. */
  #head: AnswerHead | undefined;
  #isListening = false;

  constructor(connection: BurstConnection) {
    this.#connection = connection;
  }

  /** Whether the server closes the connection after the answer that came last. */
  get wasLast(): boolean {
    return this.#head?.shouldKeepAlive === false;
  }

  /** Puts itself, once, between the parser and autocannon's callbacks, which then hear of final answers alone. */
  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const { parser } = this.#connection;
    const { kOnHeadersComplete, kOnMessageComplete } = parser.constructor;
    const onHead = parser[kOnHeadersComplete];
    const onAnswer = parser[kOnMessageComplete];
    parser[kOnHeadersComplete] = (head) => {
      this.#head = head;
      return isInformational(head) ? undefined : onHead?.(head);
    };
    parser[kOnMessageComplete] = () => (isInformational(this.#head) ? undefined : onAnswer?.());
  }

  /** Ends the answer whose body lasts until the connection ends; false where there is none. */
  endWithConnection(): boolean {
    const { parser } = this.#connection;
    if (parser.state !== "BODY_RAW") return false;
    parser.reinitialize(parser.type);
    parser[parser.constructor.kOnMessageComplete]?.();
    return true;
  }

  /** Forgets what came over the connection before. */
  forget(): void {
    const { parser, pipelinedRequests } = this.#connection;
    this.#head = undefined;
    parser.reinitialize(parser.type);
    pipelinedRequests.clear();
  }
}

function isInformational(head: AnswerHead | undefined): boolean {
  return head !== undefined && head.statusCode < 200 && head.statusCode !== 101;
}

function isBurstConnection(connection: object): connection is BurstConnection {
  const methods = [connect, sendNext, resetConnection];
  return (
    "parser" in connection &&
    "pipelinedRequests" in connection &&
    methods.every((name) => typeof Reflect.get(connection, name) === "function")
  );
}
