const head = '{"input":{"op":"whoami","padding":"';
const tail = '"}}';

/** A submission of exactly so many bytes. Its job answers shortly, whatever its size: the handler ignores the padding. */
export function payloadOf(bytes: number): Buffer {
  return padded(bytes, Buffer.alloc(bytes - head.length - tail.length, "x"));
}

/** The same with characters of two bytes, so that it has more bytes than characters. */
export function widePayloadOf(bytes: number): Buffer {
  const padding = Buffer.alloc(bytes - head.length - tail.length, "é");
  // A character must not be cut in half.
  if (padding.length % 2 === 1) padding.write("x", padding.length - 1);
  return padded(bytes, padding);
}

function padded(bytes: number, padding: Buffer): Buffer {
  return Buffer.concat([Buffer.from(head), padding, Buffer.from(tail)], bytes);
}
