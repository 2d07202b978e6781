import type { Exchange } from "../../client/exchange.ts";
import { answerOf } from "../../harness/read.ts";
import { answerToOversized } from "../../harness/jobs/payload.ts";
import { submitOperationsOf } from "../../harness/jobs/submit.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { expectGivenBack } from "./body-text.ts";

/** So small that characters of several bytes are cut in the middle. */
const smallChunkBytes = 5;
const chunkBytes = 65_521;

/** The first byte above the larger reading of 10 and 20 MB (docs/specification.md#sizes). */
const oversized = [
  { operation: "run", id: "RUNA-02", bytes: 10_485_761 },
  { operation: "runsync", id: "SYNC-06", bytes: 20_971_521 },
] as const;

interface Row {
  readonly label: string;
  readonly value: unknown;
  readonly chunkBytes: number;
}

const wideCharacters = 100_000;

/** Values that are damaged where one chunk is taken for the whole, or where each chunk is read by itself. */
const rows: readonly Row[] = [
  { label: "characters cut in two", value: ["é", "日本語", "😀"], chunkBytes: smallChunkBytes },
  { label: "names cut in two", value: { a: { b: [1, 2.5, null, true] } }, chunkBytes: 1 },
  { label: "more than a buffer", value: "é".repeat(wideCharacters), chunkBytes },
];

const refusals: readonly { readonly id: RequirementId; readonly body: unknown }[] = [
  { id: "SUBM-01", body: { policy: { ttl: 60_000 } } },
  { id: "SUBM-02", body: { input: ["text"] } },
  { id: "SUBM-03", body: '{"input":{"op":"echo"' },
];

/**
 * Checks that a body in chunks, without its length, is treated like any other. Clients send what they read from a
 * stream in this way (RFC 9112, 7.1). A server may demand the length (411), and so refuse any of these bodies.
 */
export const chunkedChecks: readonly Check[] = [
  {
    name: "submit/input-in-chunks-unchanged",
    title: "what run and runsync are given in chunks reaches the handler unchanged",
    covers: ["SUBM-04"],
    run: async (context) => {
      for (const operation of submitOperationsOf(context)) {
        for (const row of rows) await expectUnchanged(context, operation, row);
      }
    },
  },
  {
    name: "submit/refused-in-chunks",
    title: "run and runsync refuse in chunks what they refuse in one piece",
    covers: ["SUBM-01", "SUBM-02", "SUBM-03"],
    run: async (context) => {
      for (const operation of submitOperationsOf(context)) {
        for (const { id, body } of refusals) {
          const options = { chunkBytes: smallChunkBytes, wait: 1000 };
          const exchange = await context.api[operation](body, options);
          const at = `${operation}, in chunks`;
          if (isForItsLength(exchange)) context.expect.of(id).refused(exchange, at);
          else context.expect.of(id).status(exchange, 400, at);
        }
      }
    },
  },
  {
    name: "submit/payload-limit-in-chunks",
    title: "run and runsync refuse a payload over the limit where its length is not told before",
    covers: ["RUNA-02", "SYNC-06"],
    megabytes: 21,
    run: async (context) => {
      for (const { operation, id, bytes } of oversized) {
        // What counts is the payload: neither `input` alone nor the JSON without white space is too large.
        const body = context.payloads.spaced(bytes);
        const exchange = await context.api[operation](body, { chunkBytes, wait: 1000 });
        answerToOversized(exchange);
        context.expect.of(id).refused(exchange, `${bytes} bytes to ${operation}, in chunks`);
      }
    },
  },
];

/** Whether the target refused a body because it came without its length, whatever the body holds. */
function isForItsLength(exchange: Exchange): boolean {
  return answerOf(exchange).status === 411;
}

async function expectUnchanged(
  context: CheckContext,
  operation: SubmitOperation,
  { label, value, chunkBytes: each }: Row,
): Promise<void> {
  const at = `${operation} with ${label}, in chunks`;
  const body = { input: context.jobs.quick(value) };
  const exchange = await context.api[operation](body, { chunkBytes: each });
  if (isForItsLength(exchange)) {
    context.expect.refused(exchange, at);
    return;
  }
  await expectGivenBack(context, { operation, exchange, value, at });
}
