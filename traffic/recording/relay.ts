import { once } from "node:events";
import * as http from "node:http";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { monotonicNowMs } from "../../client/exchange.ts";
import { RecordingBody } from "./recording-body.ts";
import { passableHeaders, plainHeaders } from "./relay-headers.ts";
import { throughPlainProxy } from "../../client/connect.ts";
import { rulesFor } from "../../client/request-rules.ts";
import type { RequestRules } from "../../client/request-rules.ts";
import type { RecordedExchange } from "./recorded-exchange.ts";
import { ServerAgent } from "./server-agent.ts";

/** What happens to a request in place of, or beside, being passed on. */
export interface Trouble {
  /** Answered here, and not passed on. */
  readonly answer?: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  /** Is awaited before anything else. */
  readonly before?: () => Promise<unknown>;
  /** The target that is asked in place of the one that was sent. */
  readonly target?: string;
  /** How long the answer is held back. */
  readonly delayMs?: number;
  /** It is passed on; its answer does not arrive, or half of it. */
  readonly loses?: "answer" | "half";
  /** It is neither passed on nor answered; the client has to break it off. */
  readonly silent?: true;
  /** The server's answer with another body. */
  readonly rewrite?: (text: string, status: number) => string;
}

/** A request as far as it is known when its head has come. */
export interface ArrivedRequest {
  readonly method: string;
  readonly target: string;
  readonly host: string;
}

export interface RelayOptions {
  /** Where requests are passed on to, as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** How connections to it are made: over TLS, by a certificate, through a proxy. */
  readonly rules?: RequestRules | undefined;
  /** A certificate and its key, as PEM, to listen with TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Default 127.0.0.1 and any free port. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** How much of each body is kept; default 64 MB. */
  readonly bodyBytesMax?: number | undefined;
  readonly troubleFor?: ((request: ArrivedRequest) => Trouble | undefined) | undefined;
  /** Is called with each exchange when it has ended. */
  readonly onExchange: (exchange: RecordedExchange) => void;
  /** Is called where the server cannot be reached, or breaks off. */
  readonly onServerError?: ((error: Error) => void) | undefined;
}

export interface Relay {
  readonly baseUrl: string;
  readonly port: number;
  /** Breaks off what is under way, and settles when nothing listens any more. */
  readonly stop: () => Promise<void>;
}

/**
 * Listens, passes each request on and each answer back as it comes, and records both. Nothing is changed but hop-by-hop
 * headers and Host; what the client breaks off is broken off at the server as well.
 * Rejects with the error of Node where it cannot listen (`code` EADDRINUSE).
 */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { host = "127.0.0.1", port = 0, tls } = options;
  const rules = options.rules ?? rulesFor({ baseUrl: options.baseUrl });
  const agent = new ServerAgent(rules, new URL(options.baseUrl));
  const sockets = new Map<Socket, number>();
  let connections = 0;
  let requests = 0;
  const listen: RequestListener = (request, response) => {
    const connection = sockets.get(request.socket) ?? 0;
    const number = (requests += 1);
    const scheme = tls === undefined ? "http" : "https";
    const relayed = new RelayedRequest(
      { request, response, number, connection, scheme },
      { ...options, agent, rules },
    );
    relayed.run().catch(relayed.fail);
  };
  const server: Server = tls === undefined ? http.createServer() : https.createServer(tls);
  server.on("request", listen);
  server.on("checkContinue", listen);
  server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    sockets.set(socket, (connections += 1));
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
  });
  // A held runsync takes minutes.
  server.requestTimeout = 0;
  // A client may keep a connection for as long as it likes, and lose nothing by sending on it again.
  server.keepAliveTimeout = 0;
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  const listening = typeof address === "object" && address !== null ? address.port : port;
  return {
    baseUrl: `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${listening}`,
    port: listening,
    stop: async () => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets.keys()) socket.destroy();
      server.closeAllConnections();
      await closed;
      agent.destroy();
    },
  };
}

interface Incoming {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly number: number;
  readonly connection: number;
  readonly scheme: "http" | "https";
}

type Settings = RelayOptions & { readonly agent: ServerAgent; readonly rules: RequestRules };

/** One request on its way to the server and back. */
class RelayedRequest {
  readonly #in: Incoming;
  readonly #settings: Settings;
  readonly #arrivedMs = monotonicNowMs();
  readonly #sent: RecordingBody;
  readonly #answered: RecordingBody;
  #head: { readonly status: number; readonly headers: Record<string, string> } | undefined;
  #beganMs = 0;
  #brokenOff: RecordedExchange["brokenOff"];

  constructor(incoming: Incoming, settings: Settings) {
    this.#in = incoming;
    this.#settings = settings;
    this.#sent = new RecordingBody(settings.bodyBytesMax);
    this.#answered = new RecordingBody(settings.bodyBytesMax);
  }

  async run(): Promise<void> {
    const { request, response } = this.#in;
    const trouble = this.#settings.troubleFor?.(this.#arrived) ?? {};
    response.once("close", () => this.#end());
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    await trouble.before?.();
    // Not earlier: what is read before it is passed on would be lost.
    request.on("data", (bytes: Buffer) => this.#sent.add(bytes));
    if (trouble.silent === true) return void request.resume();
    if (trouble.answer !== undefined) return this.#answerHere(trouble.answer, trouble);
    return this.#passOn(trouble);
  }

  /** Breaks off what cannot be passed on: a server that is gone, or an answer that HTTP does not have. */
  readonly fail = (error: Error): void => {
    if (!this.#in.response.destroyed) this.#settings.onServerError?.(error);
    this.#breakOff();
  };

  get #arrived(): ArrivedRequest {
    const { method = "GET", url = "/", headers } = this.#in.request;
    return { method, target: url, host: headers.host ?? "" };
  }

  async #answerHere(
    { status, headers = {}, body }: NonNullable<Trouble["answer"]>,
    { delayMs = 0 }: Trouble,
  ): Promise<void> {
    const { request, response } = this.#in;
    request.resume();
    if (request.headers.expect !== undefined) response.writeContinue();
    await Promise.race([once(request, "end"), once(response, "close")]).catch(() => undefined);
    if (delayMs > 0) await pause(delayMs);
    const text = body === undefined ? "" : JSON.stringify(body);
    this.#begin(status, { "content-type": "application/json", ...headers });
    this.#answered.add(Buffer.from(text));
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
  }

  #passOn(trouble: Trouble): void {
    const { request, response } = this.#in;
    const { baseUrl, agent, rules } = this.#settings;
    const to = new URL(baseUrl);
    const path = `${to.pathname.replace(/\/$/, "")}${trouble.target ?? request.url ?? "/"}`;
    // A proxy without a tunnel is asked for the whole address.
    const proxied = throughPlainProxy(rules, to);
    const onward = http.request({
      agent,
      method: request.method,
      path: proxied === undefined ? path : `${to.origin}${path}`,
      headers: [
        "Host",
        to.host,
        ...passableHeaders(request, "host"),
        ...Object.entries(proxied ?? {}).flat(),
      ],
    });
    onward.setNoDelay();
    onward.on("continue", () => response.writeContinue());
    onward.on("information", (early) => {
      passInformation(response, early, request.httpVersion);
    });
    onward.on("response", (answer) => {
      this.#answer(answer, trouble).catch(this.fail);
    });
    onward.on("error", this.fail);
    response.once("close", () => {
      if (!response.writableFinished) onward.destroy();
    });
    request.pipe(onward);
    request.on("close", () => {
      if (!request.complete) onward.destroy();
    });
  }

  async #answer(answer: IncomingMessage, trouble: Trouble): Promise<void> {
    const { response } = this.#in;
    const { delayMs = 0, loses, rewrite } = trouble;
    answer.on("error", () => this.#breakOff());
    if (loses !== undefined || rewrite !== undefined) {
      const text = await textOf(answer);
      if (delayMs > 0) await pause(delayMs);
      return this.#answerWhole(answer, rewrite?.(text, answer.statusCode ?? 0) ?? text, loses);
    }
    if (delayMs > 0) await pause(delayMs);
    const { statusCode = 502, statusMessage = "" } = answer;
    this.#begin(statusCode, plainHeaders(answer.headers));
    response.writeHead(statusCode, statusMessage, passableHeaders(answer));
    answer.on("data", (bytes: Buffer) => this.#answered.add(bytes));
    answer.on("end", () => {
      if (Object.keys(answer.trailers).length > 0)
        response.addTrailers(plainHeaders(answer.trailers));
    });
    answer.on("close", () => {
      if (!answer.complete) this.#breakOff();
    });
    answer.pipe(response);
  }

  #answerWhole(answer: IncomingMessage, text: string, loses: Trouble["loses"]): void {
    const { response } = this.#in;
    if (loses === "answer") return this.#breakOff();
    const { statusCode = 502 } = answer;
    const bytes = Buffer.from(text);
    const headers = { "content-type": answer.headers["content-type"] ?? "application/json" };
    this.#begin(statusCode, headers);
    response.writeHead(statusCode, { ...headers, "content-length": bytes.length });
    const sent = loses === "half" ? bytes.subarray(0, bytes.length / 2) : bytes;
    this.#answered.add(sent);
    if (loses === undefined) response.end(bytes);
    else response.write(sent, () => this.#breakOff());
  }

  #begin(status: number, headers: Record<string, string>): void {
    this.#head = { status, headers };
    this.#beganMs = monotonicNowMs();
  }

  #breakOff(): void {
    this.#brokenOff ??= { by: "server", atMs: monotonicNowMs() };
    this.#in.response.destroy();
  }

  #end(): void {
    const { request, response, number, connection, scheme } = this.#in;
    const { method, target, host } = this.#arrived;
    const nowMs = monotonicNowMs();
    if (!response.writableFinished) this.#brokenOff ??= { by: "client", atMs: nowMs };
    this.#settings.onExchange({
      number,
      connection,
      method,
      origin: `${scheme}://${host}`,
      target,
      headers: plainHeaders(request.headers),
      body: this.#sent.recorded(request.complete),
      arrivedMs: this.#arrivedMs,
      ...(this.#head !== undefined && {
        answer: {
          ...this.#head,
          body: this.#answered.recorded(response.writableFinished),
          beganMs: this.#beganMs,
          endedMs: nowMs,
        },
      }),
      ...(this.#brokenOff !== undefined && { brokenOff: this.#brokenOff }),
    });
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const bytes of answer) if (Buffer.isBuffer(bytes)) pieces.push(bytes);
  return Buffer.concat(pieces).toString("utf8");
}

/** Passes on what a server answers before its answer: 102, 103. A client of HTTP/1.0 knows none. */
function passInformation(
  response: ServerResponse,
  { statusCode, statusMessage, rawHeaders }: http.InformationEvent,
  httpVersion: string,
): void {
  if (httpVersion === "1.0" || response.headersSent || response.socket === null) return;
  const fields = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1] ?? ""}\r\n`] : [],
  );
  response.socket.write(
    `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${fields.join("")}\r\n`,
    "latin1",
  );
}
