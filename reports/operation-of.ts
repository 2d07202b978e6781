import { operations } from "../openapi/operations.ts";
import type { OperationName } from "../openapi/operations.ts";

const names = operations.map(({ name }) => name);

/** The operation that a request was for, by the last or last but one segment of its path; undefined for another path. */
export function operationOf({ url }: { readonly url: string }): OperationName | undefined {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/, "").replace(/[?#].*$/, "");
  const segments = path.split("/").filter((segment) => segment !== "");
  const found = segments.slice(-2).toReversed();
  return found.flatMap((segment) => names.find((name) => name === segment) ?? [])[0];
}
