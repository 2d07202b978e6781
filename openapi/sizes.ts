/** The largest chunk of a stream, in bytes of JSON: 1 MB in its larger reading (docs/specification.md#sizes). Larger output is split. */
export const chunkBytesMax = 1_048_576;

/** The most that the service takes as a result, in bytes. */
export const resultBytesMax = 20_971_520;
