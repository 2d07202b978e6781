import { describe, expect, test } from "vitest";
import { runHere } from "../testing/run-here.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

describe("faults", () => {
  test("refuses a selection that matches nothing", async () => {
    const ended = await runHere(["faults", "--only", "no/such"], temporaryDirectory());
    expect(ended).toMatchObject({ exitCode: 2, output: "" });
    expect(ended.errors).toMatch(/^error: --only no\/such matches nothing\nhint: /);
  });
});
