import { describe, expect, test } from "vitest";
import { HarnessError } from "../harness/outcome.ts";
import { ReportWriteError } from "../reports/write.ts";
import { CommandError, describeError } from "./errors.ts";

describe("an error", () => {
  test("of the command line says what, where and what to do next", () => {
    const error = new CommandError("WRONG_USAGE", "No.", { problems: ["a: b"], hint: "Do c." });
    expect(describeError(error)).toEqual({
      lines: ["error: No.", "         a: b", "hint:  Do c."],
      exitCode: 2,
    });
  });

  test.each([
    { error: new HarnessError("TARGET_UNREACHABLE", "down", "start it"), exitCode: 3 },
    { error: new HarnessError("KEY_REFUSED", "no", "another key"), exitCode: 3 },
    { error: new HarnessError("NOTHING_SELECTED", "none", "select"), exitCode: 2 },
    { error: new ReportWriteError("REPORT_DIRECTORY", "/r", new Error("EACCES")), exitCode: 2 },
    { error: new ReportWriteError("REPORT_FILE", "/r/a", new Error("ENOSPC")), exitCode: 3 },
  ])("of another module keeps its hint: $error.code is $exitCode", ({ error, exitCode }) => {
    const described = describeError(error);
    expect(described.exitCode).toBe(exitCode);
    expect(described.lines).toEqual([`error: ${error.message}`, `hint:  ${error.hint}`]);
  });

  test.each([
    new TypeError("x is undefined"),
    "text",
    Object.assign(new Error("e"), { code: "E" }),
  ])("nobody foresaw is a fault of the harness: %s", (error) => {
    expect(describeError(error)).toMatchObject({ exitCode: 3 });
    expect(describeError(error).lines[0]).toMatch(/^error: queueproof itself broke/);
  });
});
