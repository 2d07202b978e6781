import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openTarget } from "../../harness/open-target.ts";
import { faultScenarios } from "../../load/faults/fault-scenario.ts";
import type { FaultName } from "../../load/faults/fault-scenario.ts";
import { faultFinding } from "../../load/faults/finding.ts";
import { runFaultScenario } from "../../load/faults/run-fault-scenario.ts";
import { freePort } from "../../load/free-port.ts";
import { root } from "../../test/project.ts";

export type FoundUnderFault = ReturnType<typeof faultFinding>;

interface Rig {
  /** The bug of the server's store; absent: none. */
  readonly bug?: string;
  /** The file of Toxiproxy, where the fault is one of the network. */
  readonly toxiproxyPath?: string | undefined;
}

/** What a server with a state file, in a process of its own, shows under a fault. */
export async function foundUnder(
  name: FaultName,
  { bug = "", toxiproxyPath }: Rig = {},
): Promise<FoundUnderFault> {
  const scenario = faultScenarios.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  const folder = mkdtempSync(join(tmpdir(), "queueproof-recovery-"));
  const port = await freePort();
  const hooks = hooksFor({ folder, port, bug });
  try {
    await shell(hooks.start);
    const baseUrl = `http://127.0.0.1:${port}`;
    const controlUrl = `${baseUrl}/__control`;
    const target = await openTarget({ baseUrl, controlUrl, capabilities: [] });
    const ofNetwork = scenario.isOfNetwork === true ? { toxiproxyPath } : {};
    const outcome = await runFaultScenario(scenario, { target, hooks, ...ofNetwork, seed: 1 });
    return faultFinding(scenario, outcome);
  } finally {
    await shell(`${hooks.kill} || true`);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Commands that start the server, and do to it what a fault does. */
function hooksFor({
  folder,
  port,
  bug,
}: {
  readonly folder: string;
  readonly port: number;
  readonly bug: string;
}) {
  const [pid, log] = [join(folder, "pid"), join(folder, "log")];
  const program = `"${process.execPath}" --import tsx proof/recovery/server-process.ts "${join(folder, "state.db")}" ${port} ${bug}`;
  const start = `cd "${root}"; rm -f "${log}"; ${program} > "${log}" 2>&1 & echo $! > "${pid}"; until grep -qsx ready "${log}"; do kill -0 $(cat "${pid}") || { cat "${log}" >&2; exit 1; }; sleep 0.05; done`;
  const signal = (what: string): string => `kill -${what} $(cat "${pid}")`;
  const gone = `while kill -0 $(cat "${pid}") 2>/dev/null; do sleep 0.05; done`;
  return {
    start,
    kill: signal("KILL"),
    restart: `${signal("TERM")}; ${gone}; ${start}`,
    pause: signal("STOP"),
    resume: signal("CONT"),
  };
}

async function shell(command: string): Promise<void> {
  const child = spawn("/bin/sh", ["-c", command], {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  const said: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
  await once(child, "exit");
  if (child.exitCode !== 0) throw new Error(`${command}: ${Buffer.concat(said).toString()}`);
}
