import type { OperationName } from "../../openapi/operations.ts";

/** What a request shows of its right to be answered. */
export interface Credentials {
  readonly operation: OperationName;
  readonly header: string | undefined;
  /** The endpoint of the path; undefined where there is none of that id. */
  readonly endpoint:
    { readonly id: string; readonly apiKey: string; readonly foreignKey: string } | undefined;
  /** Whether the path names a job that the endpoint does not have. */
  readonly isUnknownJob: () => boolean;
  /** Whether any endpoint, or nobody's endpoint, has this key. */
  readonly isKnownKey: (key: string) => boolean;
}

export type Admission = "granted" | "unauthorized" | "unknown-endpoint";

/** Who is let in (docs/specification.md#authentication). */
export const authentication = {
  /** The key in the header's value, or undefined where there is none. */
  keyOf: (header: string | undefined, _operation: OperationName): string | undefined => {
    if (header === undefined || header === "") return undefined;
    return /^bearer +(.+)$/i.exec(header)?.[1] ?? header;
  },
  isSameKey: (given: string, key: string, _operation: OperationName): boolean => given === key,
  /** Whether a valid key of another endpoint may use this one. */
  permitsForeignKey: (_operation: OperationName): boolean => false,
  refusalStatus: (_credentials: Credentials): number => 401,
  /** What a refusal says. */
  refusalDetail: (_credentials: Credentials): string => "no valid API key for this endpoint",
  /** The last word on a request. */
  admit: (admission: Admission, _credentials: Credentials): Admission => admission,
  /** Whether a request that is answered 401 is left undone. */
  refusalLeavesUndone: (_operation: OperationName, _credentials: Credentials): boolean => true,
};
