import { monotonicNowMs } from "../../client/exchange.ts";
import type { Answer, Exchange } from "../../client/exchange.ts";
import type { JobClient } from "../../client/job-client.ts";
import { withEmptyObject } from "../../client/translation.ts";
import type { OutgoingRequest } from "../../client/translation.ts";
import { showsNothing } from "./form.ts";
import type { Discovery } from "./discovery.ts";
import { learnKeptWorkers } from "./kept-workers.ts";

const requestsMax = 40;
const tookMsMax = 5000;
/** Nothing that is asked has an answer of more characters. */
const charactersMax = 1_048_576;

/** One request to a target, by whichever client. */
export type Ask = (client: JobClient) => Promise<Exchange>;

/** Asks a target what a run has to know of it: at most 40 requests, and for at most 5 s. */
export class Asker {
  readonly client: JobClient;
  readonly discovery: Discovery;

  constructor(client: JobClient, discovery: Discovery) {
    this.client = client;
    this.discovery = discovery;
  }

  /** For how long it may still ask, in milliseconds. */
  get leftMs(): number {
    const { startedAtMs, cost } = this.discovery;
    return cost.requests >= requestsMax ? 0 : startedAtMs + tookMsMax - monotonicNowMs();
  }

  /**
   * The exchange; undefined where nothing may be asked any more, or where the answer is of the moment.
   * @param isOfTarget whether an answer that is usually of the moment may be how the target always answers this
   */
  async ask(
    send: Ask,
    isOfTarget: (answer: Answer | undefined) => boolean = () => false,
  ): Promise<Exchange | undefined> {
    if (this.leftMs <= 0) return undefined;
    const exchange = await send(this.client.with({ timeoutMs: this.leftMs }));
    if (exchange.failure?.kind === "lacking") return undefined;
    this.discovery.count(exchange);
    learnKeptWorkers(this.discovery, exchange);
    const { answer } = exchange;
    if (answer !== undefined && answer.characters > charactersMax) answer.shorten();
    const isOfMoment = showsNothing(answer) && !isOfTarget(answer);
    return isOfMoment ? undefined : exchange;
  }

  /** The same by another method than the operation's own. */
  async askBy(method: "GET" | "POST", send: Ask): Promise<Exchange | undefined> {
    return this.ask(async (client) =>
      send(changing(client, (request) => ({ ...request, method }))),
    );
  }

  /** The same with an empty object as its body. */
  async askWithBody(send: Ask): Promise<Exchange | undefined> {
    return this.ask(async (client) => send(changing(client, withEmptyObject)));
  }

  /** The same for a path of the endpoint at which no operation is. */
  async askUnknown(method: "GET" | "POST", apiKey?: string): Promise<Exchange | undefined> {
    return this.ask(async (client) => {
      const keyed = apiKey === undefined ? client : client.withMadeUpKey(apiKey);
      const lost = changing(keyed, ({ path, operation, ...rest }) => ({
        ...rest,
        operation,
        path: path.replace(`/${operation}/`, `/${noOperation}/`),
      }));
      return method === "GET" ? lost.status(unknownJob) : lost.cancel(unknownJob);
    });
  }
}

/** The client with its requests changed after they were translated, and its answers as they come. */
function changing(
  client: JobClient,
  change: (request: OutgoingRequest) => OutgoingRequest,
): JobClient {
  const { translation } = client.options;
  return client.with({
    translation: {
      request: (request) => change(translation?.request(request) ?? request),
      exchange: (exchange) => exchange,
      answers: {},
      obstacle: () => undefined,
    },
  });
}

const noOperation = "queueproof-no-operation";

/** An id that no job has. */
export const unknownJob = "queueproof-unknown-job";
/** A key that no endpoint knows. */
export const wrongKey = "queueproof-wrong-key";

/** Status and body of an answer, without what it repeats of the path. */
export function shapeOf({ answer, request }: Exchange): string {
  const { pathname } = new URL(request.url);
  const words = [pathname, ...pathname.split("/").filter((word) => word.length > 2)];
  let text = answer?.rawText() ?? "";
  for (const word of words) text = text.replaceAll(word, "");
  return `${String(answer?.status)} ${text.replaceAll(/GET|POST|[\d-]{6,}/g, "")}`;
}
