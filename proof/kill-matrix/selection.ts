import { matchesGlob } from "../../harness/glob.ts";

/** The items whose name, or one of whose ids, matches one of the globs; all of them where there are no globs. */
export function chosen<Item extends { readonly name: string }>(
  items: readonly Item[],
  globs: readonly string[],
  idsOf: (item: Item) => readonly string[],
): readonly Item[] {
  if (globs.length === 0) return items;
  return items.filter((item) =>
    [item.name, ...idsOf(item)].some((text) => globs.some((glob) => matchesGlob(text, glob))),
  );
}
