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
export interface AuthenticationBehaviour {
  /** The key in the header's value, or undefined where there is none. */
  readonly keyOf: (header: string | undefined, operation: OperationName) => string | undefined;
  readonly isSameKey: (given: string, key: string, operation: OperationName) => boolean;
  /** Whether a valid key of another endpoint may use this one. */
  readonly permitsForeignKey: (operation: OperationName) => boolean;
  readonly refusalStatus: (credentials: Credentials) => number;
  /** What a refusal says. */
  readonly refusalDetail: (credentials: Credentials) => string;
  /** The last word on a request. */
  readonly admit: (admission: Admission, credentials: Credentials) => Admission;
  /** Whether a request that is answered 401 is left undone. */
  readonly refusalLeavesUndone: (operation: OperationName, credentials: Credentials) => boolean;
}

export const authentication: AuthenticationBehaviour = {
  keyOf: (header) => {
    if (header === undefined || header === "") return undefined;
    return /^bearer +(.+)$/i.exec(header)?.[1] ?? header;
  },
  isSameKey: (given, key) => given === key,
  permitsForeignKey: () => false,
  refusalStatus: () => 401,
  refusalDetail: () => "no valid API key for this endpoint",
  admit: (admission) => admission,
  refusalLeavesUndone: () => true,
};
