// queueproof serve --handler examples/test-double/handler.mjs
// Yields a word a chunk; what it throws fails the job.
export default async function* (input, { attempt }) {
  if (typeof input.prompt !== "string") throw new Error("a prompt is wanted");
  for (const word of input.prompt.split(" ")) yield { word, attempt };
}
