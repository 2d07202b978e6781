import { randomInt, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fetch } from "undici";
import { CallLatency } from "./call-latency.ts";
import { EventLoopLag } from "../event-loop-lag.ts";
import { Hook } from "./hook.ts";
import type { ClosedHook, HookReply } from "./hook.ts";
import { ReceiverServer, readText } from "./receiver-server.ts";
import type { ReceiverAddress } from "./receiver-server.ts";
import { Inconclusive } from "../outcome.ts";
import type { ConfiguredDialect } from "../dialects/configured-dialect.ts";

export interface ReceiverSettings extends ReceiverAddress {
  /** Translates bodies into the specification's terms; absent: they are left as they come. */
  readonly read?: ConfiguredDialect["webhookBody"] | undefined;
}

/** Below the ports that systems give to outgoing connections, so that nobody takes a closed one by chance. */
const closedPorts = { min: 20_000, max: 30_000, triesMax: 50 };
const probeWithinMs = 5000;
/** Where a redirect leads: answered with 200, so that a target that follows it takes it for a success. */
const redirected = "/redirected";

/** How much of the calls of a run is kept: far more than any conforming target sends. */
const keptCharactersMax = 100_000_000;

/** What a check may do with the receiver. */
export type Hooks = Pick<
  WebhookReceiver,
  "hook" | "closedHook" | "whyCallsMayDiffer" | "isBehindProxy"
>;

/** HTTP servers that are called by the target's webhooks and count every attempt. */
export class WebhookReceiver {
  readonly #servers: ReceiverServer[] = [];
  readonly #hooks = new Map<string, Hook>();
  readonly #eventLoopLag = new EventLoopLag();
  readonly #publicUrl: string | undefined;
  readonly #read: ConfiguredDialect["webhookBody"];
  #baseUrl = "";
  #latency: CallLatency | undefined;
  #wasCalled = false;
  #keptCharacters = 0;
  #probe: Promise<boolean> | undefined;

  private constructor({ publicUrl, read = (text) => ({ text }) }: ReceiverSettings) {
    this.#publicUrl = publicUrl;
    this.#read = read;
  }

  /** Starts listening: on loopback alone, or on every interface where a public URL was given. */
  static async start(settings: ReceiverSettings = {}): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(settings);
    const { url, localUrl } = await receiver.#listen(settings);
    receiver.#baseUrl = url;
    receiver.#latency = new CallLatency(localUrl);
    return receiver;
  }

  /** Whether calls come by a public address, where a proxy may write their paths in another way. */
  get isBehindProxy(): boolean {
    return this.#publicUrl !== undefined;
  }

  /** Every address that was made so far. */
  get all(): Iterable<Hook> {
    return this.#hooks.values();
  }

  /** The hook at an address that is open; undefined where there is none. */
  hookAt(url: string): Hook | undefined {
    const hook = this.#hooks.get(url.slice(url.lastIndexOf("/") + 1));
    return hook?.url === url && url.startsWith(`${this.#baseUrl}/`) ? hook : undefined;
  }

  /** A fresh address. Without replies every attempt is answered with 200. */
  hook(...replies: readonly HookReply[]): Hook {
    return this.#hookAt(this.#baseUrl, replies);
  }

  /** The receiver for one check. `onHook` is called with each address that is made. */
  hooks(onHook: (hook: Hook) => void): Hooks {
    return {
      hook: (...replies) => {
        const hook = this.hook(...replies);
        onHook(hook);
        return hook;
      },
      closedHook: async (...replies) => {
        const closed = await this.closedHook(...replies);
        onHook(closed.hook);
        return closed;
      },
      isBehindProxy: this.isBehindProxy,
      whyCallsMayDiffer: async (hook) => this.whyCallsMayDiffer(hook),
    };
  }

  /**
   * A fresh address on a port of its own, closed until it is opened.
   * @throws Inconclusive behind a public URL, which leads to one open port
   */
  async closedHook(...replies: readonly HookReply[]): Promise<ClosedHook> {
    if (this.#publicUrl !== undefined) {
      throw new Inconclusive(
        "a public webhook URL leads to an open port, so no call can be refused",
      );
    }
    const { port, localUrl } = await closedAgain();
    return {
      hook: this.#hookAt(localUrl, replies),
      open: async () => {
        await this.#listen({ port });
      },
    };
  }

  /**
   * Whether it is known that calls can get here: always on loopback; behind a public URL once one came, or when a
   * request of our own to that URL does.
   */
  async isReachable(): Promise<boolean> {
    if (this.#publicUrl === undefined || this.#wasCalled) return true;
    this.#probe ??= this.#arrives();
    return (await this.#probe) || this.#wasCalled;
  }

  /** Why a hook may have been called more or less often than the target means to; undefined where that is not so. */
  async whyCallsMayDiffer({ madeAtMs }: Hook): Promise<string | undefined> {
    if (!(await this.isReachable())) return "it is not known whether calls can reach this machine";
    return this.#latency?.wasLongSince(madeAtMs) === true
      ? "this machine was too busy to take and answer every call in time"
      : undefined;
  }

  /** Closes the servers and every connection they still hold. */
  async stop(): Promise<void> {
    this.#latency?.stop();
    this.#eventLoopLag.stop();
    await Promise.all(this.#servers.splice(0).map(async (server) => server.close()));
  }

  #hookAt(baseUrl: string, replies: readonly HookReply[]): Hook {
    const path = `/${randomUUID()}`;
    const hook = new Hook(baseUrl + path, replies);
    this.#hooks.set(path.slice(1), hook);
    return hook;
  }

  async #listen(address: ReceiverAddress): Promise<ReceiverServer> {
    const server = await ReceiverServer.start(address, (request, response) => {
      void this.#take(request, response);
    });
    this.#servers.push(server);
    return server;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = this.#eventLoopLag.moment();
    const { method = "", headers, url = "/" } = request;
    const text = await readText(request);
    if (text === undefined) return void request.destroy();
    const { hook, isRedirected } = this.#find(url);
    if (hook === undefined || isRedirected) {
      if (hook !== undefined) hook.followed += 1;
      response.writeHead(hook === undefined ? 404 : 200).end();
      return;
    }
    this.#wasCalled = true;
    this.#keptCharacters += text.length;
    const isCut = this.#keptCharacters > keptCharactersMax;
    const attempt = {
      method,
      path: url,
      headers,
      at,
      ...(isCut ? { text: "", isCut } : this.#read(text)),
    };
    const reply = hook.receive(attempt);
    // The check may be stopped meanwhile, and the call is answered all the same.
    await hook.meanwhile?.(attempt).catch(() => undefined);
    treat(reply, { hook, request, response });
  }

  /** The hook whose name stands in the path; a public URL may put its own path before it, a check more behind it. */
  #find(url: string): { hook: Hook | undefined; isRedirected: boolean } {
    // Not read as a URL: whatever was sent as one has to be counted at most.
    const [pathname = ""] = url.split(/[?#]/);
    const isRedirected = pathname.endsWith(redirected);
    const name = pathname.split("/").findLast((segment) => this.#hooks.has(segment)) ?? "";
    return { hook: this.#hooks.get(name), isRedirected };
  }

  async #arrives(): Promise<boolean> {
    const hook = this.hook();
    try {
      const signal = AbortSignal.timeout(probeWithinMs);
      const answer = await fetch(hook.url, { method: "POST", signal });
      await answer.body?.cancel();
    } catch {
      return false;
    }
    return hook.attempts.length > 0;
  }
}

interface Call {
  readonly hook: Hook;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

function treat(reply: HookReply, { hook, request, response }: Call): void {
  if (reply === "silence") return;
  if (reply === "reset") {
    request.socket.resetAndDestroy();
    return;
  }
  const isRedirect = reply >= 300 && reply < 400;
  response.writeHead(reply, isRedirect ? { location: hook.url + redirected } : {}).end();
}

/** Finds a free port: opens a server on it, and closes it again. */
async function closedAgain(): Promise<ReceiverServer> {
  for (let tries = 0; tries < closedPorts.triesMax; tries += 1) {
    const port = randomInt(closedPorts.min, closedPorts.max);
    try {
      const server = await ReceiverServer.start({ port }, () => undefined);
      await server.close();
      return server;
    } catch (error) {
      // The port is taken: tries the next one.
      if (!(error instanceof Inconclusive)) throw error;
    }
  }
  throw new Inconclusive("no free port was found for a receiver that refuses");
}
