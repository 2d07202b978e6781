import { describe, expect, test } from "vitest";

import { isRequirementId } from "../../openapi/requirements.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import { faultNamed, faults } from "./faults.ts";

/** The groups of a behaviour, each as its members. */
function groupsOf(value: object): readonly (readonly [string, object])[] {
  return Object.entries(value).filter(
    (entry): entry is [string, object] => typeof entry[1] === "object" && entry[1] !== null,
  );
}

describe("the fault table", () => {
  test("names each fault once and finds it by its name", () => {
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
    for (const fault of faults) expect(faultNamed(fault.name)).toBe(fault);
    expect(faultNamed("no/such-fault")).toBeUndefined();
  });

  test.each(faults)("$name is well described and changes what exists", (fault) => {
    expect(fault.name).toMatch(/^[a-z0-9]+\/[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(fault.describe).toMatch(/^[A-Za-z].*\.$/);
    expect(fault.breaks.length).toBeGreaterThan(0);
    expect(fault.breaks.every((id) => isRequirementId(id))).toBe(true);

    const base = new Map(groupsOf(specified));
    const changes = groupsOf(fault.change(specified));
    expect(changes.length).toBeGreaterThan(0);
    for (const [group, members] of changes) {
      expect(Object.keys(base.get(group) ?? {})).toEqual(
        expect.arrayContaining(Object.keys(members)),
      );
    }
  });

  test("a change leaves everything else as it was", () => {
    const behaviour = changed(specified, { operations: { finishedCancelStatus: 409 } });
    expect(behaviour.operations).toEqual({ ...specified.operations, finishedCancelStatus: 409 });
    expect(behaviour.lifecycle).toEqual(specified.lifecycle);
    expect(specified.operations.finishedCancelStatus).toBe(400);
  });
});
