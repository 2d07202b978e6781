import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { changed, specified, startReference } from "../../reference/index.ts";
import { toolNamed } from "../../testing/tools.ts";
import { freePort } from "../testing/free-port.ts";
import { nginx, startNginx, tableOfLimits } from "../testing/nginx.ts";
import { pythonWithRunpod } from "../testing/python.ts";
import { realWorkerReports, report, root, served } from "./target.ts";
import type { MatrixTarget } from "./target.ts";

const python = pythonWithRunpod();
const prism = toolNamed("prism", "`npm install @stoplight/prism-cli@5.14.2` brings it.");

const reference: MatrixTarget = {
  name: "reference",
  about: "The embedded reference, contract and load, on virtual clocks where it has them.",
  missing: "",
  reports: ["targets/reference"],
  check: async () => report("targets/reference", ["run"]),
};

const realWorker: MatrixTarget = {
  name: "real worker",
  about:
    "The emulator, whose endpoint is served by workers of the vendor's package with the conformance handler.",
  missing: python.missing,
  reports: realWorkerReports,
  check: async () => {
    const words = ["--import", "tsx", join(root, "interop", "real-worker-suite.ts")];
    const child = spawn(process.execPath, words, {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    });
    await once(child, "close");
  },
};

const localServer: MatrixTarget = {
  name: "local server",
  about:
    "The vendor's local server (`--rp_serve_api`) with the conformance handler, dialect rp-local.",
  missing: python.missing,
  reports: ["targets/local-server"],
  check: async () => {
    const port = String(await freePort());
    const baseUrl = `http://127.0.0.1:${port}`;
    const address = ["--rp_api_host", "127.0.0.1", "--rp_api_port", port];
    const handler = join("worker", "handler.py");
    const server = await served([python.path, handler, "--rp_serve_api", ...address], baseUrl);
    const words = ["--base-url", baseUrl, "--dialect", "rp-local", "--capability", "handler"];
    await report("targets/local-server", ["contract", ...words]);
    await server.stop();
  },
};

const mock: MatrixTarget = {
  name: "mock",
  about: "A mock server that Prism makes of the OpenAPI document: shapes without behaviour.",
  missing: prism.missing,
  reports: ["targets/mock"],
  check: async () => {
    const port = String(await freePort());
    const baseUrl = `http://127.0.0.1:${port}`;
    const document = join("openapi", "job-api.yaml");
    const server = await served([prism.path, "mock", document, "--port", port], baseUrl);
    const dialect = join("interop", "testing", "prism-dialect.json");
    const target = ["--base-url", baseUrl, "--endpoint", "one", "--api-key", "key"];
    // Nothing ever happens behind a mock, so there is nothing to wait long for.
    const limits = ["--time-budget", "10s", "--timeout", "5s", "--capability", "handler"];
    await report("targets/mock", ["contract", ...target, ...limits, "--dialect", dialect]);
    await server.stop();
  },
};

const unlimited = changed(specified, {
  limits: {
    requestsPerWindow: () => Number.POSITIVE_INFINITY,
    inFlightMax: () => Number.POSITIVE_INFINITY,
  },
});

const behindNginx: MatrixTarget = {
  name: "nginx in front",
  about:
    "The reference without limits behind nginx, whose `limit_req` and `limit_conn` keep the table as buckets.",
  missing: nginx.missing,
  reports: ["targets/nginx-contract", "targets/nginx-load"],
  check: async () => {
    const server = await startReference({ behaviour: unlimited, defaultEndpoint: { workers: 3 } });
    const { baseUrl, stop } = await startNginx(server.baseUrl, tableOfLimits);
    const { controlUrl = "", endpointId, apiKey } = server;
    const target = ["--base-url", baseUrl];
    const rate = [
      "--endpoint",
      endpointId,
      "--api-key",
      apiKey,
      "--capability",
      "handler,openai,requests",
    ];
    // nginx has no control protocol: its limits are told on a real clock, as a stranger's.
    await report("targets/nginx-contract", ["contract", ...target, "--control", controlUrl]);
    await report("targets/nginx-load", [
      "load",
      "probe",
      ...target,
      ...rate,
      "--time-budget",
      "full",
    ]);
    await stop();
    await server.stop();
  },
};

export const targets: readonly MatrixTarget[] = [
  reference,
  realWorker,
  localServer,
  mock,
  behindNginx,
];
