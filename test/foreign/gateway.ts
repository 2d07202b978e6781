import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { certificatesFor } from "../../traffic/certificates.ts";
import type { Certificates } from "../../traffic/certificates.ts";
import type { RunningServer } from "../running-server.ts";
import { nginxMain, nginxTemporary, runNginx } from "./nginx.ts";

/** The header that the gateway demands of every request. */
export const gatewayHeader = { name: "x-gateway", value: "header-of-a-gateway" } as const;

/** The path below which the API stands behind the gateway. */
const gatewayPath = "/a/gateway";

/** The name under which only a proxy knows it; its certificate has it, too. */
export const gatewayHost = "gateway.test";

export interface Gateway extends RunningServer {
  readonly certificates: Certificates;
  /** Under its address, and under its name. */
  readonly urls: { readonly byAddress: string; readonly byName: string };
}

/**
 * Starts nginx before a server, with TLS of its own authority, client certificates, a header, and a path before /v2.
 */
export async function startGateway(upstream: string): Promise<Gateway> {
  const certificates = await certificatesFor("127.0.0.1", gatewayHost);
  const nginx = await runNginx(async ({ port, folder }) => {
    const { ca, server } = certificates;
    await writeFile(join(folder, "ca.pem"), ca);
    await writeFile(join(folder, "server.pem"), server.cert);
    await writeFile(join(folder, "server.key"), server.key);
    return `${nginxMain({ port, folder })}
http {
  access_log off;
  ${nginxTemporary({ port, folder })}
  client_max_body_size 32m;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  keepalive_requests 100000;
  upstream target { server ${new URL(upstream).host}; keepalive 64; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/server.pem;
    ssl_certificate_key ${folder}/server.key;
    ssl_client_certificate ${folder}/ca.pem;
    ssl_verify_client on;
    location ${gatewayPath}/ {
      if ($http_x_gateway != "${gatewayHeader.value}") { return 403; }
      proxy_pass http://target/;
    }
  }
}
`;
  }, "https");
  const { port } = new URL(nginx.baseUrl);
  return {
    ...nginx,
    certificates,
    urls: {
      byAddress: nginx.baseUrl + gatewayPath,
      byName: `https://${gatewayHost}:${port}${gatewayPath}`,
    },
  };
}
