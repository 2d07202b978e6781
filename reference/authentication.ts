import type { Behaviour } from "./behaviour.ts";
import type { Admission, Credentials } from "./behaviour/authentication.ts";

/**
 * Whether a request may be answered (docs/specification.md#authentication). The key is looked at before the
 * endpoint: who has no valid key learns nothing of which endpoints there are.
 */
export function admit({ authentication }: Behaviour, credentials: Credentials): Admission {
  return authentication.admit(admissionOf(authentication, credentials), credentials);
}

function admissionOf(
  authentication: Behaviour["authentication"],
  { operation, header, endpoint, isKnownKey }: Credentials,
): Admission {
  const key = authentication.keyOf(header, operation);
  if (key === undefined) return "unauthorized";
  if (endpoint !== undefined && authentication.isSameKey(key, endpoint.apiKey, operation)) {
    return "granted";
  }
  if (!isKnownKey(key)) return "unauthorized";
  if (endpoint === undefined) return "unknown-endpoint";
  return authentication.permitsForeignKey(operation) ? "granted" : "unauthorized";
}
