/** The items whose name, or one of whose ids, matches one of the globs; all of them where there are no globs. */
export function chosen<Item extends { readonly name: string }>(
  items: readonly Item[],
  globs: readonly string[],
  idsOf: (item: Item) => readonly string[],
): readonly Item[] {
  if (globs.length === 0) return items;
  const patterns = globs.map((glob) => patternOf(glob));
  return items.filter((item) =>
    [item.name, ...idsOf(item)].some((text) => patterns.some((pattern) => pattern.test(text))),
  );
}

function patternOf(glob: string): RegExp {
  const parts = glob
    .split("*")
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "i");
}
