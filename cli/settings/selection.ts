import { profiles, profilesThatJudge } from "../../openapi/profiles.ts";
import type { Judged } from "../../openapi/profiles.ts";
import {
  idsThatJudge,
  isRequirementId,
  requirementIds,
  requirements,
} from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { didYouMean, unknownName } from "../did-you-mean.ts";
import type { SemanticValidator } from "./resolve.ts";

/** Returns the requirements that ids and globs match, in the order of those to choose from; default the servers'. */
export function selectIds(
  patterns: readonly string[],
  from: readonly RequirementId[] = requirementIds,
): readonly RequirementId[] {
  const matchers = patterns.map(matcher);
  return from.filter((id) => matchers.some((matches) => matches(id)));
}

/** Returns those to choose from, or those of them that were named, without what was skipped. */
export function selectedIds(
  {
    only,
    skip,
  }: { readonly only: readonly RequirementId[]; readonly skip: readonly RequirementId[] },
  from: readonly RequirementId[] = requirementIds,
): ReadonlySet<RequirementId> {
  const wanted = only.length === 0 ? from : only;
  return new Set(wanted.filter((id) => !skip.includes(id)));
}

/** Returns one line, with its place, for each pattern and profile of a source that matches no requirement of servers. */
export const selectionProblems: SemanticValidator = selectionProblemsOf("server");

/** The same for the catalogue that judges those. */
export function selectionProblemsOf(judged: Judged): SemanticValidator {
  const ids = idsThatJudge(judged);
  return (values, nameOf) => [
    ...(["only", "skip", "require", "allowInconclusive"] as const).flatMap((setting) =>
      (values[setting] ?? []).flatMap((pattern, index) => {
        if (ids.some(matcher(pattern))) return [];
        const place = nameOf(`/${setting}/${index}`);
        return [`${place} ${pattern} matches no requirement${offer(pattern, ids)}`];
      }),
    ),
    ...(values.profile ?? []).flatMap((name, index) =>
      profiles[name].of === judged
        ? []
        : [
            `${nameOf(`/profile/${index}`)} must be one of ${profilesThatJudge(judged).join(", ")}, got ${name}`,
          ],
    ),
  ];
}

function matcher(pattern: string): (id: string) => boolean {
  if (!/[*?]/.test(pattern)) return (id) => id === pattern.toUpperCase();
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  const expression = escaped.replaceAll("*", ".*").replaceAll("?", ".");
  return (id) => new RegExp(`^${expression}$`, "i").test(id);
}

function offer(pattern: string, ids: readonly RequirementId[]): string {
  if (!/[*?]/.test(pattern)) return didYouMean(pattern, ids);
  const globs = [...new Set(ids.map((id) => `${id.slice(0, id.indexOf("-"))}-*`))];
  return didYouMean(pattern, globs);
}

/**
 * Returns the requirement for an id in any case, such as `runa-01`.
 * @throws CommandError WRONG_USAGE for an id that is not in the catalogue; it names the most similar one.
 */
export function requirementNamed(text: string, hint: string): RequirementId {
  const id = text.trim().toUpperCase();
  if (isRequirementId(id)) return id;
  throw unknownName("requirement", text, { known: Object.keys(requirements), hint });
}
