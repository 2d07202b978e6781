import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Io } from "../../cli/io.ts";

export interface FakeIo extends Io {
  readonly output: () => string;
  readonly errors: () => string;
}

/** No k6 is found in it. */
export const emptyCache = join(tmpdir(), "queueproof-empty-cache");

/** Makes an Io that records output. It has no terminal, an empty cache and no variables, unless `given` has. */
export function fakeIo(given: Partial<Io> = {}): FakeIo {
  const written: string[] = [];
  const complaints: string[] = [];
  return {
    write: (text) => void written.push(text),
    writeError: (text) => void complaints.push(text),
    workingDirectory: "/nonexistent",
    terminal: false,
    columns: 80,
    rows: 24,
    ...given,
    environment: { XDG_CACHE_HOME: emptyCache, ...given.environment },
    output: () => written.join(""),
    errors: () => complaints.join(""),
  };
}
