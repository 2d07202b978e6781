import { startFront } from "../fronts/start-front.ts";
import type { RunningServer } from "../running-server.ts";
import type { Departure, Pass } from "./departures.ts";

/** Starts a server that does as another one of this machine, but for these departures, the first one outermost. */
export async function startStranger(
  target: string,
  departures: readonly Departure[],
): Promise<RunningServer> {
  return startFront(target, async ({ request, response, pass }) => {
    // What a client has asked for is carried out, also where it does not stay for the answer.
    const { signal } = new AbortController();
    const treat = departures.reduceRight<Pass>(
      (next, departure) => async (passed) => departure(passed, next),
      async (passed) => pass(passed, signal),
    );
    const { status, headers, body } = await treat(request);
    response.writeHead(status, headers).end(body);
  });
}
