import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { buildSync } from "esbuild";

const compiled = new Map<string, string>();

/** Starts a module of this folder, compiled once before, in a process of its own. */
export function start(module: string, words: readonly string[] = []): ChildProcess {
  const path = compiled.get(module) ?? compile(module);
  compiled.set(module, path);
  return fork(path, words, { execArgv: [] });
}

/** Compiles a module and its imports to JavaScript, so that no figure includes the time of compiling. */
function compile(module: string): string {
  const outfile = fileURLToPath(new URL(`../../.cache/benchmarks/${module}.js`, import.meta.url));
  const entry = fileURLToPath(new URL(`./${module}.ts`, import.meta.url));
  const common = { bundle: true, packages: "external", platform: "node", format: "esm" } as const;
  buildSync({ ...common, entryPoints: [entry], outfile, target: "node20" });
  return outfile;
}

/**
 * Waits for the next message of a child that has all these members, each a number or a list of numbers.
 * @throws Error where the child ends without one
 */
export async function nextMessageWith<Name extends string>(
  child: ChildProcess,
  ...names: readonly Name[]
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const ended = new AbortController();
  const end = (): void => ended.abort(new Error("a benchmark's process ended too early"));
  child.once("exit", end);
  try {
    for (;;) {
      const messages: readonly unknown[] = await once(child, "message", { signal: ended.signal });
      const found = numbersIn(messages[0], names);
      if (found !== undefined) return found;
    }
  } finally {
    child.off("exit", end);
  }
}

function numbersIn<Name extends string>(
  message: unknown,
  names: readonly Name[],
): Record<Name, readonly number[]> | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const members = new Map<string, unknown>(Object.entries(message));
  const found: Partial<Record<Name, readonly number[]>> = {};
  for (const name of names) {
    const values = [members.get(name)].flat().filter((each) => typeof each === "number");
    if (values.length === 0) return undefined;
    found[name] = values;
  }
  return isWhole(found, names) ? found : undefined;
}

function isWhole<Name extends string>(
  found: Partial<Record<Name, readonly number[]>>,
  names: readonly Name[],
): found is Record<Name, readonly number[]> {
  return names.every((name) => found[name] !== undefined);
}
