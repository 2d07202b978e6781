import { isatty } from "node:tty";

/** What a command may touch of the process it runs in; tests give their own. */
export interface Io {
  /** Writes to standard output as it is, without a line end of its own. */
  readonly write: (text: string) => void;
  /** Writes to standard error as it is. */
  readonly writeError: (text: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** Whether standard output is a terminal. */
  readonly terminal: boolean;
  /** Width of the terminal in characters. */
  readonly columns: number;
}

/** The Io of this process. A reader that goes away (`| head`) ends the process quietly. */
export function processIo(): Io {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", leaveOnBrokenPipe);
  return {
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
    environment: process.env,
    workingDirectory: process.cwd(),
    // Not `process.stdout.isTTY`: elsewhere than on a terminal that is undefined, whatever its type says.
    terminal: isatty(process.stdout.fd),
    columns: process.stdout.columns ?? 80,
  };
}

/** Whether output may be coloured: on a terminal, unless NO_COLOR says otherwise (no-color.org). */
export function colourAllowed({ terminal, environment }: Io): boolean {
  const { NO_COLOR: refused = "", TERM: kind } = environment;
  return terminal && refused === "" && kind !== "dumb";
}

function leaveOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit();
}
