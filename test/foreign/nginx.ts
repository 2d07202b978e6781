import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { tiers, windowMs } from "../../openapi/operations.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import type { RunningServer } from "../running-server.ts";
import { toolNamed } from "../tools.ts";
import { freePort } from "../../load/free-port.ts";
import { untilItListens, endProcess } from "./program.ts";

/** What nginx enforces on one operation of each endpoint, in its own terms: `limit_req`, `limit_conn`. */
export interface NginxLimit {
  readonly operation: string;
  readonly requestsPerMinute: number;
  /** How many requests beyond the first may come at once. */
  readonly burst: number;
  /** How many may be in flight; absent: any number. */
  readonly connections: number | undefined;
}

/** The table of limits as nginx can express it: a bucket of the limit, which fills within the window. */
export const tableOfLimits: readonly NginxLimit[] = tiers.map(({ operation, limit, cap }) => ({
  operation,
  requestsPerMinute: (limit * 60_000) / windowMs,
  burst: limit - 1,
  connections: cap,
}));

/** A reference that leaves all limits to nginx. */
export const unlimited = changed(specified, {
  limits: {
    requestsPerWindow: () => Number.POSITIVE_INFINITY,
    inFlightMax: () => Number.POSITIVE_INFINITY,
  },
});

/** Debian's nginx, or why it is not there. */
export const nginx = toolNamed("nginx", "Debian's package nginx-light brings it.");

/** Starts nginx on a free port in front of a server that has no limits of its own. */
export async function startNginx(
  upstream: string,
  limits: readonly NginxLimit[],
): Promise<RunningServer> {
  return runNginx((place) => configuration({ ...place, upstream, limits }));
}

/** The port on which an nginx listens, and its own folder. */
export interface NginxPlace {
  readonly port: number;
  readonly folder: string;
}

/** Starts nginx on a free port, as its configuration says. */
export async function runNginx(
  configurationFor: (place: NginxPlace) => string | Promise<string>,
  scheme = "http",
): Promise<RunningServer> {
  const folder = await mkdtemp(join(tmpdir(), "queueproof-nginx-"));
  const port = await freePort();
  const file = join(folder, "nginx.conf");
  await writeFile(file, await configurationFor({ port, folder }));
  const child = spawn(nginx.path, ["-e", join(folder, "error.log"), "-c", file], {
    stdio: "ignore",
  });
  const baseUrl = `${scheme}://127.0.0.1:${port}`;
  await untilItListens(port);
  return {
    baseUrl,
    stop: async () => {
      await endProcess(child, "SIGQUIT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Placed extends NginxPlace {
  readonly upstream: string;
  readonly limits: readonly NginxLimit[];
}

/** The beginning of every configuration; everything that nginx writes goes into the folder. */
export function nginxMain({ folder }: NginxPlace): string {
  return `daemon off;
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 4096; }`;
}

/** Where nginx keeps what is too large for its memory. */
export function nginxTemporary({ folder }: NginxPlace): string {
  return ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n  ");
}

function configuration({ upstream, port, folder, limits }: Placed): string {
  const zones = limits.map(
    ({ operation, requestsPerMinute }) =>
      `limit_req_zone $endpoint zone=rate_${operation}:1m rate=${requestsPerMinute}r/m;
  limit_conn_zone $endpoint zone=cap_${operation}:1m;`,
  );
  return `${nginxMain({ port, folder })}
http {
  access_log off;
  ${nginxTemporary({ port, folder })}
  limit_req_status 429;
  limit_conn_status 429;
  client_max_body_size 32m;
  client_body_timeout 400s;
  proxy_read_timeout 400s;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $http_host;
  keepalive_requests 100000;
  map $uri $endpoint { ~^/v2/(?<id>[^/]+)/ $id; }
  ${zones.join("\n  ")}
  upstream target { server ${new URL(upstream).host}; keepalive 256; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    ${limits.map(location).join("\n    ")}
    location / { proxy_pass http://target; }
  }
}
`;
}

function location({ operation, burst, connections }: NginxLimit): string {
  const cap = connections === undefined ? "" : `limit_conn cap_${operation} ${connections}; `;
  return `location ~ ^/v2/[^/]+/${operation}(/|$) { limit_req zone=rate_${operation} burst=${burst} nodelay; ${cap}proxy_pass http://target; }`;
}
