import { join } from "node:path";

import { startReference } from "../../reference/start-reference.ts";
import { startLocalServer } from "../../test/foreign/local-server.ts";
import { nginx, startNginx, tableOfLimits, unlimited } from "../../test/foreign/nginx.ts";
import { prism, prismDialect, prismTarget, startPrism } from "../../test/foreign/prism.ts";
import { pythonWithRunpod } from "../../test/foreign/python.ts";
import { root } from "../../test/project.ts";
import { realWorkerReports, report, runNode } from "./target.ts";
import type { MatrixTarget } from "./target.ts";

const python = pythonWithRunpod();

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
  check: async () =>
    runNode(["--import", "tsx", join(root, "proof", "targets", "real-worker-suite.ts")]),
};

const localServer: MatrixTarget = {
  name: "local server",
  about:
    "The vendor's local server (`--rp_serve_api`) with the conformance handler, dialect rp-local.",
  missing: python.missing,
  reports: ["targets/local-server"],
  check: async () => {
    const { baseUrl, stop } = await startLocalServer();
    const words = ["--base-url", baseUrl, "--dialect", "rp-local", "--capability", "handler"];
    await report("targets/local-server", ["contract", ...words]);
    await stop();
  },
};

const mock: MatrixTarget = {
  name: "mock",
  about: "A mock server that Prism makes of the OpenAPI document: shapes without behaviour.",
  missing: prism.missing,
  reports: ["targets/mock"],
  check: async () => {
    const { baseUrl, stop } = await startPrism();
    const { endpointId, apiKey } = prismTarget;
    const target = ["--base-url", baseUrl, "--endpoint", endpointId, "--api-key", apiKey];
    // Nothing ever happens behind a mock, so there is nothing to wait long for.
    const limits = ["--time-budget", "10s", "--timeout", "5s", "--capability", "handler"];
    await report("targets/mock", ["contract", ...target, ...limits, "--dialect", prismDialect]);
    await stop();
  },
};

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
    // nginx has no control protocol, so its limits are probed on a real clock, like those of any unknown server.
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
