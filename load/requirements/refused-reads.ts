import { parseJson } from "../../client/parse-json.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import type { LoadCheck } from "./check.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import type { LoadFindings } from "./findings.ts";
import { requireAnswers } from "./answers.ts";
import type { LoadSession } from "./load-session.ts";
import type { RequestParts } from "./requests.ts";
import { tierOf, windowMs } from "../../openapi/operations.ts";
import type { Tally } from "./tally.ts";

/** Asks for one job, once the limit of the operation is used up. */
async function readBeyondLimit(
  endpoint: LoadEndpoint,
  operation: "status" | "stream",
  parts: RequestParts,
): Promise<Tally> {
  await endpoint.ensureJobToRead();
  await endpoint.waitUntilRested(operation);
  const used = await endpoint.send(operation, tierOf(operation).limit);
  const read = await (await endpoint.putInFlight(operation, 1, parts)).end();
  requireAnswers(used, read);
  return read;
}

/** A job goes on when a status was refused that would have given it a short ttl. */
async function refusedTtl(session: LoadSession, findings: LoadFindings): Promise<void> {
  const endpoint = await session.endpoint({ workers: 1 });
  const [jobId = ""] = await endpoint.submit(1);
  const read = await readBeyondLimit(endpoint, "status", { jobId, query: "ttl=1000" });
  if (read.refused === 0) return;
  await endpoint.waitUntilRested("status");
  const status = await endpoint.readStatus(jobId);
  const isLeft = status === "IN_QUEUE" || status === "IN_PROGRESS";
  const got = isLeft ? "waiting or at work" : status;
  const at = "a job whose status, with a ttl of a second, was refused";
  findings.equal(at, "waiting or at work", got, read.samples);
}

const chunks = 3;

/** The chunks of a job are there to be read when its stream was refused before. */
async function refusedStream(session: LoadSession, findings: LoadFindings): Promise<void> {
  const endpoint = await session.endpoint({ workers: 1 });
  const [jobId = ""] = await endpoint.submit(1, { op: "stream", count: chunks, intervalMs: 0 });
  const read = await readBeyondLimit(endpoint, "stream", { jobId });
  if (read.refused === 0) return;
  await endpoint.waitUntilRested("stream");
  const { exchanges } = await (await endpoint.putInFlight("stream", 1, { jobId })).end();
  const elements = parseJson(exchanges[0]?.answer?.body ?? "");
  const got = Array.isArray(elements) ? `${elements.length} chunks` : "no array";
  const at = "the first read of a stream after a refused one";
  findings.equal(at, `${chunks} chunks`, got, read.samples);
}

export const refusedReadCheck: LoadCheck = {
  name: "rate/refused-reads-without-effect",
  title: "A status that was answered 429 set no ttl, and a stream that was took no chunks",
  covers: ["RATE-13"],
  // On an endpoint that is shared others use the limits of status and stream, and it waits for eight windows.
  needs: ["load", "handler", "endpoints", "clock"],
  realTimeMs: 8 * windowMs,
  cost: () => ({
    requests: { status: 2_003, stream: 2_003, run: 4 },
    jobs: { run: 4 },
  }),
  run: async (session, findings) => {
    await refusedTtl(session, findings);
    await refusedStream(session, findings);
    if (findings.comparisons === 0) throw new Inconclusive("no request was refused");
  },
};
