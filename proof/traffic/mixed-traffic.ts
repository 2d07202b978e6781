import { setTimeout as pause } from "node:timers/promises";
import { isFinal, isLooseRecord } from "../../harness/record.ts";

export interface MixTarget {
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly apiKey: string;
}

interface Sent {
  readonly method?: "GET" | "POST";
  readonly body?: string | undefined;
  readonly authorization?: string | undefined;
}

const readsMax = 60;

/**
 * Sends what a client and its tests send in a few seconds: jobs in every way, reads, cancels, retries, a purge, and bad
 * requests. The server may be broken: nothing that it answers stops it.
 */
export async function sendMixedTraffic({ baseUrl, endpointId, apiKey }: MixTarget): Promise<void> {
  const ask = async (path: string, { method = "GET", body, ...sent }: Sent = {}): Promise<unknown> => {
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
      return (await answer.json()) as unknown;
    } catch {
      return undefined;
    }
  };
  const post = async (path: string, body?: unknown): Promise<unknown> =>
    ask(path, { method: "POST", body: body === undefined ? undefined : JSON.stringify(body) });
  const submitted = async (body: object): Promise<string> => {
    const record = await post("/run", body);
    return isLooseRecord(record) ? record.id : "";
  };
  const ended = async (id: string): Promise<void> => {
    for (let reads = 0; reads < readsMax; reads += 1) {
      const record = await ask(`/status/${id}`);
      if (isLooseRecord(record) && isFinal(record)) break;
      await pause(20);
    }
    await ask(`/status/${id}`, { authorization: `Bearer ${apiKey}` });
  };

  await ask("/health", { authorization: `Bearer ${apiKey}` });
  await ask("/health", { authorization: "" });
  const echo = { input: { op: "echo", value: { a: [1] } } };
  const done = await submitted(echo);
  await ended(done);
  await post(`/retry/${done}`);
  await ask(`/status/${done}`);
  await post("/runsync", echo);
  const long = await post("/runsync?wait=1000", { input: { op: "sleep", ms: 1_500 } });
  if (isLooseRecord(long)) await ended(long.id);

  const failed = await submitted({ input: { op: "fail", message: "on purpose" } });
  await ended(failed);
  await post(`/retry/${failed}`);
  await ended(failed);
  const streamed = await submitted({ input: { op: "text", bytes: 9, chunks: 3, intervalMs: 5 } });
  await ended(streamed);
  await ask(`/stream/${streamed}`);

  const working = await submitted({ input: { op: "sleep", ms: 60_000 } });
  await pause(50);
  await ask(`/status/${working}`);
  const waiting = await submitted(echo);
  await ask(`/status/${waiting}`);
  await ask("/health");
  await post("/purge-queue");
  await post(`/cancel/${working}`);
  await ended(working);
  await post(`/retry/${working}`);
  await ask(`/status/${working}`);
  const queued = await submitted(echo);
  await post(`/cancel/${queued}`);
  await ask("/health");

  const s3Config = {
    accessId: "access-id-of-a-test",
    accessSecret: "access-secret-of-a-test",
    bucketName: "bucket",
    endpointUrl: "https://storage.example",
  };
  await ended(await submitted({ ...echo, s3Config }));
  for (const body of badBodies(echo)) {
    await ask("/run", { method: "POST", body });
    await ask("/runsync?wait=1000", { method: "POST", body });
  }
  for (const wait of ["999", "300001", "x"]) await post(`/runsync?wait=${wait}`, echo);
  for (const ttl of ["0", "-1", "x"]) await ask(`/status/${done}?ttl=${ttl}`);
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
