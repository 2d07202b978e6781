import type { OperationName } from "../../../openapi/operations.ts";
import type { LimitScope } from "../../../reference/behaviour/limits.ts";

/** The key of a scope where an endpoint takes these operations for one. */
export function asOne(...operations: readonly OperationName[]): (scope: LimitScope) => string {
  const name = operations.join(" ");
  return ({ endpointId, operation }) =>
    `${endpointId} ${operations.includes(operation) ? name : operation}`;
}

/** Makes one value for each key and shares it among the scopes of that key. */
export function sharedBy<Shared>(
  make: () => Shared,
  keyOf: (scope: LimitScope) => string,
): (scope: LimitScope) => Shared {
  const made = new Map<string, Shared>();
  return (scope) => {
    const key = keyOf(scope);
    const shared = made.get(key) ?? make();
    made.set(key, shared);
    return shared;
  };
}
