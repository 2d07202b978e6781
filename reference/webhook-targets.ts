import { randomBytes } from "node:crypto";
import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

import { Agent, buildConnector } from "undici";

/**
 * Every webhook call carries this header, and what asks for no key (control, the page) refuses a request that has it:
 * a job's webhook must not do there what the job's key may not. The value is a secret of this process.
 */
export const WEBHOOK_HEADER = "queueproof-webhook";
export const webhookHeaders = { [WEBHOOK_HEADER]: randomBytes(16).toString("hex") };

/** A call that was not made because its webhook leads to where none may go. */
export class WebhookForbidden extends Error {
  override readonly name = "WebhookForbidden";
}

/** This machine for itself: what listens there is offered to nobody else. 0.0.0.0 leads there, too. */
const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addSubnet("0.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");
loopback.addAddress("::", "ipv6");

/** What clouds tell a machine about itself stands on such addresses. */
const linkLocal = new BlockList();
linkLocal.addSubnet("169.254.0.0", 16, "ipv4");
linkLocal.addSubnet("fe80::", 10, "ipv6");

export interface WebhookTargetsOptions {
  /** `any`, `loopback`, names and addresses of hosts; default depends on `isOpen`. */
  readonly allowed?: readonly string[] | undefined;
  /** Whether other machines can reach the server: then webhooks go anywhere but to this machine itself. */
  readonly isOpen?: boolean | undefined;
  /** Hears of each host that webhooks were not sent to, once. */
  readonly log?: ((line: string) => void) | undefined;
}

/** How long a connection may idle: a receiver may close it. */
const idleMsMax = 500;

/**
 * Where webhooks may go, and the connections to there. It is looked at when a connection is made: a name leads where it
 * leads then.
 */
export class WebhookTargets {
  readonly #options: WebhookTargetsOptions;
  readonly #told = new Set<string>();
  readonly #connect: buildConnector.connector;
  #agent: Agent | undefined;

  constructor(options: WebhookTargetsOptions = {}) {
    this.#options = options;
    this.#connect = buildConnector({ lookup: this.#lookup });
  }

  /** Keeps connections for as long as calls follow one another. */
  get agent(): Agent {
    const times = { keepAliveTimeout: idleMsMax, keepAliveMaxTimeout: idleMsMax };
    this.#agent ??= new Agent({ connect: this.connect, ...times });
    return this.#agent;
  }

  /** Breaks every call off. */
  close(): void {
    void this.#agent?.destroy();
  }

  /** Connects as undici does, or fails with WebhookForbidden. */
  readonly connect: buildConnector.connector = (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, "$1");
    if (isIP(host) === 0 || this.#allows(host, host)) this.#connect(options, callback);
    else callback(this.#forbidden(host), null);
  };

  readonly #lookup: LookupFunction = (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const allowed = addresses.filter(({ address }) => this.#allows(host, address));
      const [first] = allowed;
      if (first === undefined) return callback(this.#forbidden(host), []);
      if (options.all === true) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };

  #allows(host: string, address: string): boolean {
    const { allowed, isOpen = false } = this.#options;
    if (allowed === undefined)
      return !isOpen || !(isIn(loopback, address) || isIn(linkLocal, address));
    return allowed.some(
      (each) =>
        each === "any" ||
        (each === "loopback" && isIn(loopback, address)) ||
        each.toLowerCase() === host.toLowerCase(),
    );
  }

  #forbidden(host: string): WebhookForbidden {
    const message = `No webhook is sent to ${host}: --webhook-to does not allow it.`;
    if (this.#told.size < 100 && !this.#told.has(host)) {
      this.#told.add(host);
      this.#options.log?.(`${message} Start it with --webhook-to ${host}, or any, to allow it.`);
    }
    return new WebhookForbidden(message);
  }
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** Whether a server that listens there can be reached from this machine alone. */
export function isLoopbackHost(host: string): boolean {
  if (isIP(host) === 0) return host === "localhost" || host.endsWith(".localhost");
  return !/^(?:0|::$)/.test(host) && isIn(loopback, host);
}
