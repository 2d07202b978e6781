import { describe, expect, test } from "vitest";

import { CommandError } from "../errors.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { contractSettings } from "./contract.ts";
import type { ContractCommandSettings } from "./contract.ts";
import type { Flags } from "./sources.ts";

const target = { baseUrl: "http://target.test", endpoint: "one", apiKey: "rp_0123456789" };

function settingsOf(
  flags: Flags,
  environment: Readonly<Record<string, string>> = {},
): ContractCommandSettings {
  return contractSettings(flags, undefined, fakeIo({ environment }));
}

function problemsOf(flags: Flags, environment: Readonly<Record<string, string>> = {}): unknown {
  try {
    return settingsOf({ ...target, ...flags }, environment).warnings;
  } catch (error) {
    if (error instanceof CommandError) return error.problems;
    throw error;
  }
}

describe("what is sent", () => {
  test("is cut off at the line end that a file or a command brought along", () => {
    const {
      target: read,
      requests,
      warnings,
    } = settingsOf({
      baseUrl: "http://target.test\n",
      endpoint: "one\r\n",
      apiKey: "rp_0123456789\n",
      header: ["X-Gateway: a\n"],
    });
    const { baseUrl, apiKey, endpoint: endpointId } = target;
    expect(read).toMatchObject({ baseUrl, apiKey, endpointId });
    expect(requests.headers).toEqual({ "x-gateway": "a" });
    expect(warnings).toEqual([
      "--base-url ends in a line end, which is left out",
      "--endpoint ends in a line end, which is left out",
      "--api-key ends in a line end, which is left out",
    ]);
  });

  test("is cut off in a variable too", () => {
    const { target: read, warnings } = settingsOf(target, {
      QUEUEPROOF_FOREIGN_KEY: "another-key-1\n",
      QUEUEPROOF_HEADER: "X-A: 1\nX-B: 2\n",
    });
    expect(read?.foreignKey).toBe("another-key-1");
    expect(warnings).toEqual(["QUEUEPROOF_FOREIGN_KEY ends in a line end, which is left out"]);
  });

  test("is the key behind the word Bearer", () => {
    const { target: read, warnings } = settingsOf({ ...target, apiKey: "Bearer rp_0123456789" });
    expect(read?.apiKey).toBe("rp_0123456789");
    expect(warnings).toEqual([
      "--api-key begins with Bearer, which is left out: the key is what follows it",
    ]);
  });

  test.each<[Flags, string]>([
    [{ apiKey: "rp_0123\n456789" }, "--api-key holds a line feed (U+000A), which no key can hold"],
    [
      { foreignKey: "rp_\u0000" },
      "--foreign-key holds a null character (U+0000), which no key can hold",
    ],
    [{ apiKey: "rp_0123\u20ac" }, "--api-key holds a character (U+20AC), which no key can hold"],
    [
      { apiKey: "\ufeffrp_0123" },
      "--api-key holds a byte order mark (U+FEFF), which no key can hold",
    ],
    [
      { endpoint: "o\u001bne" },
      "--endpoint holds an escape character (U+001B), which no endpoint id can hold",
    ],
    [
      { header: ["X-A: a\u0007b"] },
      "--header X-A has a value with a control character (U+0007), which no header can hold",
    ],
  ])("is refused with the character that cannot be sent: %j", (flags, problem) => {
    expect(problemsOf(flags)).toEqual([problem]);
  });
});
