import type { Io } from "../io.ts";

export interface FakeIo extends Io {
  readonly output: () => string;
  readonly errors: () => string;
}

/** Makes an Io that records output. It has no terminal and no variables, unless `given` has. */
export function fakeIo(given: Partial<Io> = {}): FakeIo {
  const written: string[] = [];
  const complaints: string[] = [];
  return {
    write: (text) => void written.push(text),
    writeError: (text) => void complaints.push(text),
    environment: {},
    workingDirectory: "/nonexistent",
    terminal: false,
    columns: 80,
    rows: 24,
    ...given,
    output: () => written.join(""),
    errors: () => complaints.join(""),
  };
}
