import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

/** Keeps every core busy until it is stopped. */
export function startBusyLoops(): { readonly stop: () => void } {
  const loops = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
  );
  return {
    stop: () => {
      for (const loop of loops) loop.kill("SIGKILL");
    },
  };
}
