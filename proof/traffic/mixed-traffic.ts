import { setTimeout as pause } from "node:timers/promises";
import { isFinal, isLooseRecord } from "../../harness/record.ts";

export interface MixTarget {
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly apiKey: string;
  /** The address of a receiver of webhooks. */
  readonly webhook: string;
}

interface Sent {
  readonly method?: "GET" | "POST";
  readonly body?: string | undefined;
  readonly authorization?: string | undefined;
}

const readsMax = 60;

/** Asks a server that may be broken: what it answers instead of JSON is nothing. */
class Asker {
  readonly #target: MixTarget;

  constructor(target: MixTarget) {
    this.#target = target;
  }

  async ask(path: string, { method = "GET", body, ...sent }: Sent = {}): Promise<unknown> {
    const { baseUrl, endpointId, apiKey } = this.#target;
    const { authorization = apiKey } = sent;
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const key = authorization === "" ? {} : { authorization };
    try {
      const answer = await fetch(`${baseUrl}/v2/${endpointId}${path}`, {
        method,
        headers: { ...type, ...key },
        body: body ?? null,
        signal: AbortSignal.timeout(5_000),
      });
      return await answer.json();
    } catch {
      return undefined;
    }
  }

  async post(path: string, body?: unknown): Promise<unknown> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return this.ask(path, { method: "POST", body: text });
  }

  /** The id of a job that was submitted. */
  async submit(body: object): Promise<string> {
    const record = await this.post("/run", body);
    return isLooseRecord(record) ? record.id : "";
  }

  /** Reads a job to its end, and once more with the key in its other form. */
  async follow(id: string): Promise<void> {
    for (let reads = 0; reads < readsMax; reads += 1) {
      const record = await this.ask(`/status/${id}`);
      if (isLooseRecord(record) && isFinal(record)) break;
      await pause(20);
    }
    await this.ask(`/status/${id}`, { authorization: `Bearer ${this.#target.apiKey}` });
  }
}

const echo = { input: { op: "echo", value: { a: [1] } } };

/**
 * Sends what a client and its tests send in a few seconds: jobs in every way, reads, cancels, retries, a purge, and bad
 * requests. The server may be broken: nothing that it answers stops it.
 */
export async function sendMixedTraffic(target: MixTarget): Promise<void> {
  const asker = new Asker(target);
  await asker.ask("/health", { authorization: `Bearer ${target.apiKey}` });
  await asker.ask("/health", { authorization: "" });
  await sendJobs(asker, target.webhook);
  await sendCancels(asker);
  await sendBadRequests(asker);
}

async function sendJobs(asker: Asker, webhook: string): Promise<void> {
  const done = await asker.submit(echo);
  await asker.follow(done);
  await asker.post(`/retry/${done}`);
  await asker.ask(`/status/${done}`);
  await asker.post("/runsync", { ...echo, webhook });
  await asker.follow(await asker.submit({ ...echo, webhook }));
  const long = await asker.post("/runsync?wait=1000", { input: { op: "sleep", ms: 1_500 } });
  if (isLooseRecord(long)) await asker.follow(long.id);
  const failed = await asker.submit({ input: { op: "fail", message: "on purpose" } });
  await asker.follow(failed);
  await asker.post(`/retry/${failed}`);
  await asker.follow(failed);
  const input = { op: "text", bytes: 9, chunks: 3, intervalMs: 5 };
  const streamed = await asker.submit({ input });
  await asker.follow(streamed);
  await asker.ask(`/stream/${streamed}`);
  await asker.ask(`/stream/${streamed}`);
  const s3Config = {
    accessId: "access-id-of-a-test",
    accessSecret: "access-secret-of-a-test",
    bucketName: "bucket",
    endpointUrl: "https://storage.example",
  };
  await asker.follow(await asker.submit({ ...echo, s3Config }));
}

async function sendCancels(asker: Asker): Promise<void> {
  const working = await asker.submit({ input: { op: "sleep", ms: 60_000 } });
  await pause(50);
  await asker.ask(`/status/${working}`);
  const waiting = await asker.submit(echo);
  await asker.ask(`/status/${waiting}`);
  await asker.ask("/health");
  await asker.post("/purge-queue");
  await asker.post(`/cancel/${working}`);
  await asker.follow(working);
  await asker.post(`/retry/${working}`);
  await asker.ask(`/status/${working}`);
  const queued = await asker.submit(echo);
  await asker.post(`/cancel/${queued}`);
  await asker.ask("/health");
}

async function sendBadRequests(asker: Asker): Promise<void> {
  for (const body of badBodies(echo)) {
    await asker.ask("/run", { method: "POST", body });
    await asker.ask("/runsync?wait=1000", { method: "POST", body });
  }
  for (const wait of ["999", "300001", "x"]) await asker.post(`/runsync?wait=${wait}`, echo);
  const done = await asker.submit(echo);
  for (const ttl of ["0", "-1", "x"]) await asker.ask(`/status/${done}?ttl=${ttl}`);
}

function badBodies(good: object): readonly string[] {
  const flaws: readonly object[] = [
    { input: 1 },
    { input: [] },
    { input: null },
    { input: "text" },
    { ...good, webhook: "not a URL" },
    { ...good, webhook: 7 },
    { ...good, policy: { executionTimeout: 4_999 } },
    { ...good, policy: { executionTimeout: 604_800_001 } },
    { ...good, policy: { executionTimeout: "5000" } },
    { ...good, policy: { ttl: 9_999 } },
    { ...good, policy: { ttl: 604_800_001 } },
    { ...good, policy: { lowPriority: 1 } },
    { ...good, s3Config: "text" },
    { ...good, s3Config: { bucketName: 7 } },
    {},
  ];
  return ["{", "[]", "7", ...flaws.map((flaw) => JSON.stringify(flaw))];
}
