/** A worker pings this often within the silence that makes it count as gone; the library takes whole seconds. */
const PINGS_PER_SILENCE = 4;
const PING_MS = { min: 1_000, max: 10_000 };

/**
 * The environment that a worker of the vendor's Python library is started with, without its
 * RUNPOD_POD_ID, which is each worker's own. `$ID` and `$RUNPOD_POD_ID` are filled in by the library.
 */
export function workerEnvironment(
  baseUrl: string,
  { id: endpointId, apiKey }: { readonly id: string; readonly apiKey: string },
  { silenceMs }: { readonly silenceMs: number },
): Readonly<Record<string, string>> {
  const at = `${baseUrl}/v2/${endpointId}`;
  const pingMs = Math.floor(silenceMs / PINGS_PER_SILENCE / 1_000) * 1_000;
  return {
    RUNPOD_WEBHOOK_GET_JOB: `${at}/job-take/$ID?gpu=none`,
    RUNPOD_WEBHOOK_POST_OUTPUT: `${at}/job-done/$RUNPOD_POD_ID/$ID?gpu=none`,
    RUNPOD_WEBHOOK_POST_STREAM: `${at}/job-stream/$RUNPOD_POD_ID/$ID?gpu=none`,
    RUNPOD_WEBHOOK_PING: `${at}/ping/$RUNPOD_POD_ID`,
    RUNPOD_PING_INTERVAL: String(Math.min(Math.max(pingMs, PING_MS.min), PING_MS.max)),
    RUNPOD_AI_API_KEY: apiKey,
    RUNPOD_ENDPOINT_ID: endpointId,
    // The library's start-up checks look for a GPU and for the internet.
    RUNPOD_SKIP_AUTO_SYSTEM_CHECKS: "true",
    RUNPOD_SKIP_GPU_CHECK: "true",
  };
}
