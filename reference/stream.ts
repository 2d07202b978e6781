import { textChunk } from "./handler.ts";
import type { JsonObject } from "./job.ts";

/**
 * What a text chunk's JSON needs around its characters: the member names and two numbers. The
 * handler's characters are plain ASCII, one byte each.
 */
const TEXT_FRAME_BYTES = 64;

/**
 * Splits what a handler yielded so that the JSON of no piece is larger than `bytesMax`
 * (STRM-03). Only text can be that large; its pieces have the shape of the whole.
 */
export function splitChunk(chunk: JsonObject, bytesMax: number): readonly JsonObject[] {
  const text = textOf(chunk);
  const pieceLength = Math.max(1, bytesMax - TEXT_FRAME_BYTES);
  if (text === undefined || text.length <= pieceLength) return [chunk];

  const pieces: JsonObject[] = [];
  for (let start = 0; start < text.length; start += pieceLength) {
    pieces.push(textChunk(text.slice(start, start + pieceLength)));
  }
  return pieces;
}

function textOf({ text }: JsonObject): string | undefined {
  if (!Array.isArray(text)) return undefined;
  const first: unknown = text[0];
  return typeof first === "string" ? first : undefined;
}
