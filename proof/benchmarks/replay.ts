import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

import { Pool } from "undici";

import { parseJson } from "../../client/parse-json.ts";
import { valueAt } from "../../openapi/departures.ts";
import type { RecordedExchange } from "../../traffic/recording/recorded-exchange.ts";
import { running } from "../../test/running-server.ts";

/** What a recorded run becomes where nobody looks at the answers. */
export interface ReplayedRun {
  readonly wallMs: number;
  /** How many requests were sent; those that the run itself broke off are left out. */
  readonly sent: number;
  /** How many answers had another status than the recorded ones, or never came. */
  readonly otherStatuses: number;
  /** How many requests were sent before an answer that had come before them. */
  readonly early: number;
}

/** A text that is the same in every run, or one that the server makes up: an id, a key. */
type Part = string | { readonly made: string };

interface Step {
  readonly method: string;
  readonly target: readonly Part[];
  readonly headers: readonly (readonly Part[])[];
  readonly body: Buffer | readonly Part[] | undefined;
  readonly status: number;
  /** Where its answer holds texts that the server made up and later requests name. */
  readonly makes: readonly { readonly path: string; readonly made: string }[];
  /** How many of `order`'s answers had come when this one was sent. */
  readonly after: number;
  readonly movesClock: boolean;
}

/** The requests of a run, in the order in which they were sent, and that in which they were answered. */
export interface RecordedRun {
  readonly steps: readonly Step[];
  readonly order: readonly number[];
}

/** An answer that has not come so long after the last request comes never: what would release it was sent too early. */
const silenceMsMax = 2000;
/** Bodies beyond this hold no text that the server made up, only what was made up for their size. */
const templateBytesMax = 65_536;
/** As many as a run ever uses at once; they are open before the time starts, so that requests arrive as they are sent. */
const connections = 600;
const hopByHop = new Set(["host", "connection", "content-length", "transfer-encoding", "expect"]);
/** Where webhooks went, among others. */
const origin = /http:\/\/127\.0\.0\.1:\d+/g;
const word = /[\w-]{8,}/g;

/** Prepares what a run has sent so that it can be sent again, in the same order and with as much at once. */
export function scriptOf(recorded: readonly RecordedExchange[]): RecordedRun {
  const sent = recorded
    .filter(({ answer, brokenOff }) => answer !== undefined && brokenOff === undefined)
    .toSorted((one, other) => one.arrivedMs - other.arrivedMs);
  const endOf = (index: number): number => sent[index]?.answer?.endedMs ?? 0;
  const order = sent.map((_, index) => index).toSorted((one, other) => endOf(one) - endOf(other));
  const known = new Set<string>();
  let after = 0;
  const steps = sent.map((exchange) => {
    while (after < order.length && endOf(order[after] ?? 0) <= exchange.arrivedMs) after += 1;
    return stepOf(exchange, after, known);
  });
  return { steps, order };
}

function stepOf(exchange: RecordedExchange, after: number, known: Set<string>): Step {
  const { method, target, headers, body } = exchange;
  const sentHeaders = Object.entries(headers).filter(([name]) => !hopByHop.has(name));
  return {
    method,
    target: partsOf(target, known),
    headers: sentHeaders.flat().map((text) => partsOf(text, known)),
    body: bodyOf(body.bytes, known),
    status: exchange.answer?.status ?? 0,
    after,
    movesClock: target.endsWith("/advance"),
    makes: madeIn(exchange, known),
  };
}

function bodyOf(bytes: Buffer, known: ReadonlySet<string>): Step["body"] {
  if (bytes.length === 0) return undefined;
  return bytes.length > templateBytesMax ? bytes : partsOf(bytes.toString(), known);
}

/** Lists the texts of an answer that no answer before has shown, and from now on knows them. */
function madeIn({ answer }: RecordedExchange, known: Set<string>): Step["makes"] {
  const makes: { path: string; made: string }[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value === "string") {
      if (value.length > 64 || !/^[\w-]{8,}$/.test(value) || known.has(value)) return;
      known.add(value);
      makes.push({ path, made: value });
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value))
        visit(member, path === "" ? name : `${path}.${name}`);
    }
  };
  if (answer !== undefined && answer.body.bytes.length <= templateBytesMax)
    visit(parseJson(answer.body.bytes.toString()), "");
  return makes;
}

function partsOf(text: string, known: ReadonlySet<string>): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(word)) {
    const [made] = match;
    if (!known.has(made)) continue;
    parts.push(text.slice(end, match.index), { made });
    end = match.index + made.length;
  }
  return [...parts, text.slice(end)];
}

/**
 * Sends a script by bare undici, and reads every answer. `heldMsMax` is how long an answer is awaited before what
 * followed it is sent all the same: requests that arrive in another order may hold it back.
 */
export async function replayed(
  script: RecordedRun,
  baseUrl: string,
  heldMsMax = 10,
): Promise<ReplayedRun> {
  // Webhooks are answered, and nobody looks at them.
  const receiver = await running(
    createServer((request, response) => void request.resume().once("end", () => response.end())),
  );
  const pool = new Pool(baseUrl, {
    connections,
    bodyTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: 60_000,
  });
  try {
    await Promise.all(
      Array.from({ length: connections }, async () => {
        const { body } = await pool.request({ method: "GET", path: "/" });
        await body.dump();
      }),
    );
    return await new Replayer(script, pool, { receiver: receiver.baseUrl, heldMsMax }).run();
  } finally {
    await pool.destroy();
    await receiver.stop();
  }
}

interface ReplaySettings {
  /** Where webhooks go. */
  readonly receiver: string;
  readonly heldMsMax: number;
}

class Replayer {
  readonly #script: RecordedRun;
  readonly #pool: Pool;
  readonly #receiver: string;
  readonly #heldMsMax: number;
  readonly #made = new Map<string, string>();
  readonly #open = new Map<number, Promise<void>>();
  #otherStatuses = 0;
  #answeredAtMs = 0;
  #early = 0;

  constructor(script: RecordedRun, pool: Pool, { receiver, heldMsMax }: ReplaySettings) {
    this.#script = script;
    this.#pool = pool;
    this.#receiver = receiver;
    this.#heldMsMax = heldMsMax;
  }

  async run(): Promise<ReplayedRun> {
    const { steps, order } = this.#script;
    const startedMs = performance.now();
    let awaited = 0;
    for (const [index, step] of steps.entries()) {
      for (; awaited < step.after; awaited += 1) await this.#answerOf(order[awaited]);
      if (step.movesClock && this.#open.size > 0) await this.#arrival();
      const answered = this.#send(step).finally(() => this.#open.delete(index));
      // One that never came is broken off in the end, and counted.
      answered.catch(() => undefined);
      this.#open.set(index, answered);
    }
    const all = Promise.allSettled(this.#open.values());
    await Promise.race([all, pause(silenceMsMax, undefined, { ref: false })]);
    const wallMs = this.#answeredAtMs - startedMs;
    const otherStatuses = this.#otherStatuses + this.#open.size;
    return { wallMs, sent: steps.length, early: this.#early, otherStatuses };
  }

  /** Waits for an answer that had come, or goes on without it where another order of arrival holds it back. */
  async #answerOf(index: number | undefined): Promise<void> {
    const answered = this.#open.get(index ?? -1);
    if (answered === undefined) return;
    const ended = new AbortController();
    const tooLong = pause(this.#heldMsMax, true, { signal: ended.signal }).catch(() => false);
    if ((await Promise.race([answered, tooLong])) === true) this.#early += 1;
    ended.abort();
  }

  /** What was sent before has come when what was sent after it is answered. */
  async #arrival(): Promise<void> {
    const { body } = await this.#pool.request({ method: "GET", path: "/" });
    await body.dump();
  }

  async #send(step: Step): Promise<void> {
    const { method, body, status, makes } = step;
    const answer = await this.#pool.request({
      method,
      path: this.#written(step.target),
      headers: step.headers.map((parts) => this.#written(parts)),
      ...(body !== undefined && { body: Buffer.isBuffer(body) ? body : this.#written(body) }),
    });
    const text = await answer.body.text();
    this.#answeredAtMs = performance.now();
    if (answer.statusCode !== status) this.#otherStatuses += 1;
    if (makes.length === 0) return;
    const value = parseJson(text);
    for (const { path, made } of makes) {
      const now = valueAt(value, path);
      if (typeof now === "string") this.#made.set(made, now);
    }
  }

  #written(parts: readonly Part[]): string {
    const text = parts
      .map((part) => (typeof part === "string" ? part : (this.#made.get(part.made) ?? part.made)))
      .join("");
    return text.includes("://") ? text.replaceAll(origin, this.#receiver) : text;
  }
}
