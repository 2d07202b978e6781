import { expect, test } from "vitest";
import { ProgramStartError, startProgram } from "./program.ts";
import type { EndedProgram } from "./program.ts";

const common = { environment: { PATH: process.env["PATH"] }, workingDirectory: process.cwd() };

async function ended(script: string, timeLimitMs?: number): Promise<EndedProgram> {
  const program = await startProgram({ command: ["sh", "-c", script], ...common }, timeLimitMs);
  return program.ended;
}

/** Whether a process is there. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("a program ends with its exit code, its last line and what it printed on both streams", async () => {
  const end = await ended("echo one; echo two; echo three >&2; exit 7");
  expect(end).toMatchObject({ exitCode: 7, signal: null, ranOutOfTime: false });
  expect(end.output).toEqual({ lastLine: "two", text: "one\ntwo\n\nthree" });
});

test("what a program leaves behind is ended with it", async () => {
  const { output } = await ended("sleep 1000 & echo $!");
  await expect.poll(() => isThere(Number(output.lastLine))).toBe(false);
});

test("one that goes on after its time is stopped, also where it ignores SIGTERM", async () => {
  const end = await ended("trap '' TERM; echo begun; while :; do sleep 0.1; done", 300);
  expect(end).toMatchObject({ exitCode: null, signal: "SIGKILL", ranOutOfTime: true });
  expect(end.output.lastLine).toBe("begun");
});

test("of much output the beginning and the end are kept", async () => {
  const much = `'${process.execPath}' -e 'process.stdout.write("y\\n".repeat(20000000))'`;
  const { output } = await ended(`echo first; ${much}; echo last`);
  expect(output.lastLine).toBe("last");
  expect(output.text.startsWith("first\n")).toBe(true);
  expect(output.text).toContain("(more was printed)");
  expect(output.text.length).toBeLessThan(200_000);
});

test("one that is not there is told by its name", async () => {
  const start = startProgram({ command: ["no-such-program"], ...common });
  await expect(start).rejects.toThrow(ProgramStartError);
  await expect(start).rejects.toThrow(
    "no-such-program cannot be started: there is no such program",
  );
});
