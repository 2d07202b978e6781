import type { RunningServer } from "../running-server.ts";
import { freePort } from "../../load/free-port.ts";
import { startProgram } from "./program.ts";
import { conformanceScript, pythonWithRunpod } from "./python.ts";

/**
 * Starts the local server of the vendor's package (`--rp_serve_api`) with the conformance handler on a free port.
 * @throws Error with what it wrote, where it does not come up.
 */
export async function startLocalServer(): Promise<RunningServer> {
  const port = String(await freePort());
  const address = ["--rp_api_host", "127.0.0.1", "--rp_api_port", port];
  const words = [conformanceScript, "--rp_serve_api", ...address];
  return startProgram(pythonWithRunpod().path, words, `http://127.0.0.1:${port}`);
}
