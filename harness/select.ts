import { requirementIds } from "../openapi/requirements.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import { matchesGlob } from "./glob.ts";
import type { CheckHeader } from "./check.ts";

/** The requirements a selection means: those that match one of `only` (all, when empty) and none of `skip`. */
export function selectRequirements(
  only: readonly string[],
  skip: readonly string[],
): ReadonlySet<RequirementId> {
  return new Set(
    requirementIds.filter(
      (id) => (only.length === 0 || matchesAny(id, only)) && !matchesAny(id, skip),
    ),
  );
}

/** Whether an id matches one of the globs, in which `*` stands for any characters. */
export function matchesAny(id: RequirementId, globs: readonly string[]): boolean {
  return globs.some((glob) => matchesGlob(id, glob));
}

/** The checks of which at least one requirement was selected. */
export function selectChecks<Header extends CheckHeader>(
  checks: readonly Header[],
  selected: ReadonlySet<RequirementId>,
): readonly Header[] {
  return checks.filter((check) => check.covers.some((id) => selected.has(id)));
}
