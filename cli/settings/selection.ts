import { isRequirementId, requirementIds } from "../../openapi/index.ts";
import type { RequirementId } from "../../openapi/index.ts";
import { didYouMean } from "../nearest.ts";

export interface Selection {
  readonly ids: readonly RequirementId[];
  /** One line for each pattern that matches no requirement. */
  readonly problems: readonly string[];
}

/** The requirements that ids and globs name, in catalogue order; `option` is for the messages. */
export function selectIds(patterns: readonly string[], option: string): Selection {
  const tests = patterns.map((pattern) => ({ pattern, matches: matcher(pattern) }));
  return {
    ids: requirementIds.filter((id) => tests.some(({ matches }) => matches(id))),
    problems: tests
      .filter(({ matches }) => !requirementIds.some(matches))
      .map(({ pattern }) => `${option} ${pattern} matches no requirement${offer(pattern)}`),
  };
}

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

/** The requirement a person means by `runa-01`; undefined when there is none. */
export function findRequirement(text: string): RequirementId | undefined {
  const id = text.trim().toUpperCase();
  return isRequirementId(id) ? id : undefined;
}
