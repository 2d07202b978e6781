import { nestsDeeper } from "../openapi/depth.ts";

/**
 * How deep a body may be nested. Reading one knows no bound, but writing it again takes stack for each level and
 * breaks off at some 4,000; the JSON of Python, which workers are written in, breaks off at 1,000.
 */
const JSON_DEPTH_MAX = 500;

export const tooDeep = `the body is nested deeper than ${JSON_DEPTH_MAX} levels`;

/** Whether JSON is nested deeper than a server keeps it; it is looked at as bytes, before anything is made of it. */
export function isTooDeep(json: Buffer): boolean {
  return nestsDeeper(json, JSON_DEPTH_MAX);
}

/**
 * The value of a body.
 * @throws Error that says why it has none: it is no JSON, or too deep
 */
export function readJson(body: Buffer): unknown {
  if (isTooDeep(body)) throw new Error(tooDeep);
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new Error("the body is not JSON");
  }
}
