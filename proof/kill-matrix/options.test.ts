import { describe, expect, test } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { readOptions } from "./options.ts";

describe("the options of the proof", () => {
  test.each([
    ["--variations", "--real-clock"],
    ["--clean-runs", "--real-clock"],
    ["--whole", "--real-clock"],
    ["--variations", "--clean-runs"],
    ["--variations", "--whole"],
    ["--until-caught", "--whole"],
    ["--clean-runs", "--whole"],
    ["--clean-runs", "--check"],
    ["--together=6", "--check"],
    ["--contract-on-real-clock", "--real-clock"],
  ])("%s and %s exclude each other, and both are named", (one, other) => {
    const io = fakeIo();
    expect(() => readOptions([one, other], io)).toThrow("cannot be used with");
    expect(io.errors()).toContain(one.split("=")[0]);
    expect(io.errors()).toContain(other);
  });

  test("clean runs take no names", () => {
    const io = fakeIo();
    expect(() => readOptions(["--clean-runs", "CANC-01"], io)).toThrow("takes no names");
  });

  test("variations are what servers have together", () => {
    expect(() => readOptions(["--together", "3"], fakeIo())).toThrow("--together belongs to");
  });

  test("runs belong to clean runs and variations", () => {
    expect(() => readOptions(["--runs", "3"], fakeIo())).toThrow("--runs belongs to");
    expect(() => readOptions(["--variations", "--runs", "0"], fakeIo())).toThrow("whole number");
  });

  test.each([
    [["--variations", "--runs", "20"], { mode: "variations", runs: 20 }],
    [["--variations", "--together", "6"], { mode: "variations", together: 6 }],
    [[], { mode: "faults", aim: "named", names: [], out: undefined, check: false }],
    [["cancel/*", "RATE-01"], { mode: "faults", names: ["cancel/*", "RATE-01"] }],
    [["--out", "page.md", "--check"], { mode: "faults", out: "page.md", check: true }],
    [["--whole"], { mode: "faults", aim: "whole" }],
    [["--until-caught"], { mode: "faults", aim: "whole-until-caught" }],
    [["--variations"], { mode: "variations" }],
    [["--clean-runs"], { mode: "clean-runs" }],
    [["--real-clock"], { mode: "real-clock" }],
    [["--contract-on-real-clock"], { mode: "contract-on-real-clock" }],
  ])("%j is %j", (words, expected) => {
    expect(readOptions(words, fakeIo())).toMatchObject(expected);
  });
});
