import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startForwardProxy } from "../forward-proxy.ts";
import { toolNamed } from "../tools.ts";
import { freePort } from "../../load/free-port.ts";
import { untilItListens, endProcess } from "./program.ts";

/** Debian's tinyproxy, or why it is not there. */
export const tinyproxy = toolNamed("tinyproxy", "Debian's package tinyproxy-bin brings it.");

export interface Tinyproxy {
  /** With the user and password that the proxy demands. */
  readonly url: string;
  readonly password: string;
  /** What it was asked for, as its log has it. */
  readonly log: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts tinyproxy on a free port. It passes every name on to a second proxy, which leads to one server of this
 * machine, since a name that a test makes up leads nowhere.
 */
export async function startTinyproxy(target: string): Promise<Tinyproxy> {
  const folder = await mkdtemp(join(tmpdir(), "queueproof-tinyproxy-"));
  const behind = await startForwardProxy(target);
  const port = await freePort();
  const password = "password-of-a-proxy";
  const log = join(folder, "log");
  const file = join(folder, "tinyproxy.conf");
  await writeFile(
    file,
    `Port ${port}
Listen 127.0.0.1
Timeout 60
LogFile "${log}"
LogLevel Connect
MaxClients 500
Allow 127.0.0.1
BasicAuth somebody ${password}
Upstream http 127.0.0.1:${behind.port}
`,
  );
  const child = spawn(tinyproxy.path, ["-d", "-c", file], { stdio: "ignore" });
  await untilItListens(port);
  return {
    url: `http://somebody:${password}@127.0.0.1:${port}`,
    password,
    log: async () => readFile(log, "utf8"),
    stop: async () => {
      await endProcess(child);
      await behind.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
