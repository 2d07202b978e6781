import type { ClientTask } from "./client-tasks.ts";
import type { ScenarioInput } from "./scenario.ts";

interface ToldToProgram {
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly apiKey: string;
  readonly task: ClientTask;
  readonly input: ScenarioInput;
  readonly timeoutMs: number;
  /** The certificate of the authority that signed the server's, where it is asked over TLS. */
  readonly caFile: string | undefined;
}

/**
 * The variables by which a client's program learns what to do (docs/judge-your-client.md#what-your-program-has-to-do),
 * and those by which clients of the live service learn the same.
 */
export function clientVariables(told: ToldToProgram): Readonly<Record<string, string>> {
  const { baseUrl, endpointId, apiKey, task, input, timeoutMs, caFile } = told;
  return {
    ...proxyVariables(baseUrl, caFile),
    JOB_API_ENDPOINT: endpointId,
    JOB_API_KEY: apiKey,
    JOB_API_TASK: task,
    JOB_API_INPUT: JSON.stringify(input),
    JOB_API_TIMEOUT_MS: String(timeoutMs),
    RUNPOD_API_KEY: apiKey,
  };
}

/** The variables that say where the service is asked, of a program whose key and endpoint are its own. */
export function proxyVariables(
  baseUrl: string,
  caFile: string | undefined,
): Readonly<Record<string, string>> {
  return {
    JOB_API_BASE_URL: baseUrl,
    RUNPOD_ENDPOINT_BASE_URL: `${baseUrl}/v2`,
    RUNPOD_SERVERLESS_API_URL: `${baseUrl}/v2`,
    // The server is on this machine, whatever proxy the user has.
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
    ...(caFile !== undefined && {
      JOB_API_CA: caFile,
      NODE_EXTRA_CA_CERTS: caFile,
      SSL_CERT_FILE: caFile,
      REQUESTS_CA_BUNDLE: caFile,
    }),
  };
}

/** The environment that a user's program gets: all of it but what is meant for this one. */
export function withoutOwnVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith("QUEUEPROOF_")),
  );
}
