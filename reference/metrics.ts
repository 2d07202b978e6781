import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

import type { Endpoint } from "./endpoint.ts";
import { refusalOfPage } from "./own-page.ts";
import type { Service } from "./service.ts";

const METRICS_PATH = "/metrics";

/** Figures for Prometheus (docs/local-development.md names them); no key, and no key in them. */
export function serveMetrics(app: FastifyInstance, service: Service): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  countRequests(app, registry);
  gaugeEndpoints(service, registry);
  app.get(METRICS_PATH, async (request, reply) => {
    const refusal = refusalOfPage(request);
    return refusal === undefined
      ? reply.header("content-type", registry.contentType).send(await registry.metrics())
      : reply.code(403).header("content-type", "text/plain; charset=utf-8").send(refusal);
  });
}

function countRequests(app: FastifyInstance, registry: Registry): void {
  const requests = new Counter({
    name: "queueproof_requests_total",
    help: "Requests of the job API, by operation and status.",
    labelNames: ["method", "route", "status"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "queueproof_request_duration_seconds",
    help: "Time from a request to its answer.",
    labelNames: ["route"],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 90],
    registers: [registry],
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { url: route = "" } = request.routeOptions;
    if (route.startsWith("/v2/")) {
      requests.inc({ method: request.method, route, status: reply.statusCode });
      durations.observe({ route }, reply.elapsedTime / 1_000);
    }
    done();
  });
}

/** Read when they are asked for, so they cost nothing in between. */
function gaugeEndpoints(service: Service, registry: Registry): void {
  const gauge = (name: string, help: string, labels: readonly string[], read: Read): void => {
    const metric: Gauge = new Gauge({
      name,
      help,
      labelNames: ["endpoint", ...labels],
      registers: [registry],
      collect: () => {
        metric.reset();
        for (const endpoint of service.endpoints) {
          for (const [more, value] of read(endpoint))
            metric.set({ endpoint: endpoint.id, ...more }, value);
        }
      },
    });
  };
  gauge("queueproof_jobs", "Jobs that wait or are being processed.", ["status"], (endpoint) => {
    const { inQueue, inProgress } = endpoint.counts();
    return [
      [{ status: "IN_QUEUE" }, inQueue],
      [{ status: "IN_PROGRESS" }, inProgress],
    ];
  });
  gauge("queueproof_jobs_ended", "Jobs that ended so, and retries.", ["as"], (endpoint) => {
    const { completed, failed, retried } = endpoint.counts();
    return [
      [{ as: "completed" }, completed],
      [{ as: "failed" }, failed],
      [{ as: "retried" }, retried],
    ];
  });
  gauge("queueproof_workers", "Workers.", ["state"], (endpoint) => {
    const { workersBusy, workersTotal } = endpoint.counts();
    return [
      [{ state: "idle" }, workersTotal - workersBusy],
      [{ state: "running" }, workersBusy],
    ];
  });
  gauge("queueproof_webhook_attempts", "Webhook calls.", ["outcome"], ({ webhooks }) => [
    [{ outcome: "acknowledged" }, webhooks.tally.acknowledged],
    [{ outcome: "failed" }, webhooks.tally.failed],
  ]);
  gauge("queueproof_clock_seconds", "The time of the endpoint's clock.", [], ({ clock }) => [
    [{}, clock.nowMs() / 1_000],
  ]);
}

type Read = (
  endpoint: Endpoint,
) => readonly (readonly [Readonly<Record<string, string>>, number])[];
