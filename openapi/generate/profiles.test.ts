import { describe, expect, test } from "vitest";

import type { DocumentObject } from "./documents.ts";
import { profilesIn } from "./profiles.ts";

const ids = ["RUNA-01", "RUNA-02", "STAT-01"];

function documentOf(named: Readonly<Record<string, readonly string[]>>): DocumentObject {
  const rows = Object.entries(named).map(
    ([name, requirements]): readonly [string, DocumentObject] => [
      name,
      { about: `what ${name} is about`, requirements },
    ],
  );
  return { version: "1", profiles: Object.fromEntries(rows) };
}

describe("the profiles of a catalogue", () => {
  test("share an area out: an id goes before a star", () => {
    const { ofId, version } = profilesIn(
      documentOf({ core: ["RUNA-*", "STAT-*"], retention: ["RUNA-02"] }),
      ids,
    );
    expect([...ofId.values()]).toEqual(["core", "retention", "core"]);
    expect(version).toBe("1");
  });

  test.each([
    ["in none", { core: ["RUNA-*"] }, /STAT-01 must be in one profile, it is in none/],
    [
      "in two by their ids",
      { core: ["RUNA-*", "STAT-01"], other: ["STAT-01"] },
      /STAT-01 .* in core and other/,
    ],
    [
      "in two by a star",
      { core: ["RUNA-*", "STAT-*"], other: ["RUNA-*"] },
      /RUNA-01 .* in core and other/,
    ],
    [
      "named and not there",
      { core: ["RUNA-*", "STAT-*", "STAT-99"] },
      /names no requirement: STAT-99/,
    ],
  ])("are refused where a requirement is %s", (_, named, message) => {
    expect(() => profilesIn(documentOf(named), ids)).toThrow(message);
  });
});
