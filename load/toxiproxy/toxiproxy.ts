import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

import type { HostAndPort } from "../../client/request-rules.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { freePort } from "../free-port.ts";

/** What is done to the bytes of a connection, in Toxiproxy's words (its README, "Toxics"). */
export interface Toxic {
  readonly type: "latency" | "bandwidth" | "timeout" | "reset_peer";
  readonly attributes: Readonly<Record<string, number>>;
}

const proxyName = "target";
const startMsMax = 10_000;

/** A Toxiproxy of our own between the harness and one place; it ends with us. */
export class Toxiproxy {
  /** Where connections go that are to be passed on. */
  readonly place: HostAndPort;
  readonly #api: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, api: string, place: HostAndPort) {
    this.#child = child;
    this.#api = api;
    this.place = place;
  }

  /** @throws Inconclusive where it does not start */
  static async start(path: string, upstream: HostAndPort): Promise<Toxiproxy> {
    const [apiPort, port] = [await freePort(), await freePort()];
    // It gets none of the keys that the environment may hold.
    const child = spawn(path, ["-host", "127.0.0.1", "-port", String(apiPort)], {
      env: {},
      stdio: "ignore",
    });
    child.on("error", () => undefined);
    const place = { hostname: "127.0.0.1", port };
    const toxiproxy = new Toxiproxy(child, `http://127.0.0.1:${apiPort}`, place);
    try {
      await toxiproxy.#open(upstream);
      return toxiproxy;
    } catch (error) {
      await toxiproxy.close();
      throw error;
    }
  }

  async #open({ hostname, port }: HostAndPort): Promise<void> {
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    const proxy = {
      name: proxyName,
      listen: `127.0.0.1:${this.place.port}`,
      upstream: `${host}:${port}`,
      enabled: true,
    };
    const endMs = performance.now() + startMsMax;
    while (!(await isUp(this.#api))) {
      if (performance.now() > endMs || this.#child.exitCode !== null) {
        throw new Inconclusive("Toxiproxy did not start");
      }
      await pause(20);
    }
    await this.#call("POST", "/proxies", proxy);
  }

  /** Does something to what is sent, to what is answered, or to both. */
  async add({ type, attributes }: Toxic): Promise<void> {
    for (const stream of ["upstream", "downstream"]) {
      const toxic = { name: `${type}-${stream}`, type, stream, toxicity: 1, attributes };
      await this.#call("POST", `/proxies/${proxyName}/toxics`, toxic);
    }
  }

  /** Passes everything on again, unchanged. */
  async clear(): Promise<void> {
    await this.#call("POST", "/reset", {});
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.pid === undefined) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  async #call(method: string, path: string, body: object): Promise<void> {
    const answer = await fetch(`${this.#api}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok)
      throw new Inconclusive(
        `Toxiproxy answered ${answer.status} to ${path}: ${await answer.text()}`,
      );
  }
}

async function isUp(api: string): Promise<boolean> {
  try {
    return (await fetch(`${api}/version`)).ok;
  } catch {
    return false;
  }
}
