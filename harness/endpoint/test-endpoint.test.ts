import { expect, test } from "vitest";

import { JobClient } from "../../client/job-client.ts";
import { Redactor } from "../../client/redactor.ts";
import { Transport } from "../../client/transport.ts";
import { rulesFor } from "../../client/request-rules.ts";
import { conformanceJobs } from "../inputs/conformance-jobs.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { EndpointLease } from "./endpoint-lease.ts";
import { EndpointPool } from "./endpoint-pool.ts";
import { openSharedEndpoint } from "./test-endpoint.ts";

const baseUrl = "http://127.0.0.1:9";
const states: ReadonlyMap<string, string> = new Map([
  ["ended", "COMPLETED"],
  ["at-work", "IN_PROGRESS"],
]);

test("what a check leaves on a shared endpoint is cancelled, unless it has ended unseen", async () => {
  const lease = new EndpointLease(new EndpointPool([{ short: 1, long: 1, longAlone: 1 }]), {
    hold: "short",
    stallsBy: "stalled",
    isToStall: false,
    stallMsMax: undefined,
    holdsWhileWaiting: false,
    shared: true,
    signal: undefined,
  });
  const asked: string[] = [];
  const api = new JobClient({
    transport: new Transport(rulesFor({ baseUrl })),
    redactor: new Redactor(),
    baseUrl,
    endpointId: "e",
    apiKey: "the-key-of-e",
    send: async (_request, { operation, jobId = "" }) => {
      asked.push(`${operation} ${jobId}`);
      return Promise.resolve(exchangeOf({ id: jobId, status: states.get(jobId) }));
    },
    onExchange: (exchange) => lease.afterAnswer(exchange),
  });
  for (const id of states.keys()) {
    await lease.beforeRequest("run");
    lease.afterAnswer(exchangeOf({ id, status: "IN_QUEUE" }, { operation: "run" }));
  }

  const endpoint = await openSharedEndpoint(api, {
    foreignKey: undefined,
    control: undefined,
    lease,
    jobs: conformanceJobs,
    onShared: () => undefined,
  });
  await endpoint.release();

  expect(asked).toEqual(["status ended", "status at-work", "cancel at-work"]);
});
