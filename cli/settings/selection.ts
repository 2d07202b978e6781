import { isRequirementId, requirementIds } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { didYouMean, unknownName } from "../did-you-mean.ts";
import type { SemanticValidator } from "./resolve.ts";

/** Returns the requirements that ids and globs match, in catalogue order. */
export function selectIds(patterns: readonly string[]): readonly RequirementId[] {
  const matchers = patterns.map(matcher);
  return requirementIds.filter((id) => matchers.some((matches) => matches(id)));
}

/** Returns one line, with its place, for each pattern of a source that matches no requirement. */
export const selectionProblems: SemanticValidator = (values, nameOf) =>
  (["only", "skip", "require", "allowInconclusive"] as const).flatMap((setting) =>
    (values[setting] ?? []).flatMap((pattern, index) => {
      if (requirementIds.some(matcher(pattern))) return [];
      const place = nameOf(`/${setting}/${index}`);
      return [`${place} ${pattern} matches no requirement${offer(pattern)}`];
    }),
  );

function matcher(pattern: string): (id: string) => boolean {
  if (!/[*?]/.test(pattern)) return (id) => id === pattern.toUpperCase();
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  const expression = escaped.replaceAll("*", ".*").replaceAll("?", ".");
  return (id) => new RegExp(`^${expression}$`, "i").test(id);
}

function offer(pattern: string): string {
  if (!/[*?]/.test(pattern)) return didYouMean(pattern, requirementIds);
  const globs = [...new Set(requirementIds.map((id) => `${id.slice(0, id.indexOf("-"))}-*`))];
  return didYouMean(pattern, globs);
}

/**
 * Returns the requirement for an id in any case, such as `runa-01`.
 * @throws CommandError WRONG_USAGE for an id that is not in the catalogue; it names the most similar one.
 */
export function requirementNamed(text: string, hint: string): RequirementId {
  const id = text.trim().toUpperCase();
  if (isRequirementId(id)) return id;
  throw unknownName("requirement", text, { known: requirementIds, hint });
}
