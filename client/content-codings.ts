import { isUtf8 } from "node:buffer";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import type { ZlibOptions } from "node:zlib";

/** What every request says of content codings: none is wanted, so that bodies are seen as the server made them. */
export const wantedCodings = "identity";

/** A body in a content coding that cannot be undone. */
class CodingError extends Error {
  override readonly name = "CodingError";
}

type Decode = (bytes: Buffer, options: ZlibOptions) => Buffer;

/** Some servers send deflate without the zlib header that RFC 9110 (8.4.1.2) asks for. */
const inflate: Decode = (bytes, options) => {
  const hasHeader =
    bytes.length >= 2 && bytes.readUInt16BE(0) % 31 === 0 && ((bytes[0] ?? 0) & 0x0f) === 8;
  return hasHeader ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
};

const decoders: ReadonlyMap<string, Decode> = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflate],
  ["br", (bytes, options) => brotliDecompressSync(bytes, options)],
]);

/** The text of a body, and what keeps it from being what was sent. */
export interface BodyText {
  readonly text: string;
  readonly unreadable?: string;
}

/**
 * Reads the text of a body that may be in content codings.
 * @param codings the value of Content-Encoding
 * @param bytesMax how large the body may become
 */
export function textOf(bytes: Buffer, codings: string | undefined, bytesMax: number): BodyText {
  try {
    const decoded = decodedBody(bytes, codings, bytesMax);
    const text = decoded.toString("utf8");
    return isUtf8(decoded) ? { text } : { text, unreadable: otherEncoding(decoded) };
  } catch (error) {
    if (error instanceof CodingError) {
      return { text: bytes.toString("utf8"), unreadable: error.message };
    }
    throw error;
  }
}

/** Names the encoding of a text that is not UTF-8, where its first bytes show it. */
function otherEncoding(bytes: Buffer): string {
  const isUtf16 = [0xfffe, 0xfeff].includes(bytes.length < 2 ? 0 : bytes.readUInt16BE(0));
  return isUtf16 ? "a body in UTF-16, where JSON is UTF-8" : "a body that is not UTF-8";
}

/**
 * Undoes the content codings of a body (RFC 9110, 8.4): a server or what stands before it may code it although nobody
 * asked. An empty body is left as it is.
 * @throws CodingError where a coding is unknown, the bytes are not in it, or the body becomes larger
 */
function decodedBody(bytes: Buffer, codings: string | undefined, bytesMax: number): Buffer {
  if (codings === undefined || bytes.length === 0) return bytes;
  return codings
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity")
    .toReversed()
    .reduce((coded, coding) => undo(coded, coding, bytesMax), bytes);
}

function undo(bytes: Buffer, coding: string, maxOutputLength: number): Buffer {
  const decode = decoders.get(coding);
  if (decode === undefined) {
    throw new CodingError(`a body in the content coding "${coding}", which was not asked for`);
  }
  try {
    return decode(bytes, { maxOutputLength });
  } catch (error) {
    const isLarge =
      error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    const why = isLarge
      ? `a body in the content coding ${coding} that is larger than ${maxOutputLength} bytes`
      : `a body that says it is in the content coding ${coding}, and is not`;
    throw new CodingError(why);
  }
}
