/** The text of a file of TypeScript, by its path from the root. */
export type Sources = ReadonlyMap<string, string>;

/** One file imports another; both are given by their paths. */
interface Import {
  readonly from: string;
  readonly to: string;
}

function importsOf(sources: Sources): readonly Import[] {
  return [...sources].flatMap(([from, text]) =>
    Array.from(text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g), ([, path = ""]) => ({
      from,
      to: new URL(path, `file:///${from}`).pathname.slice(1),
    })),
  );
}

/**
 * The imports by which a folder depends on itself by way of others. At depth 1 the folders are the top-level ones, at 2
 * their direct subfolders; files above the depth are left out.
 */
export function cyclesOfFolders(sources: Sources, depth: number): readonly string[] {
  const folderOf = (path: string): string | undefined => {
    const folders = path.split("/").slice(0, -1);
    return folders.length < depth ? undefined : folders.slice(0, depth).join("/");
  };
  const between = importsOf(sources).flatMap(({ from, to }) => {
    const [taker, giver] = [folderOf(from), folderOf(to)];
    const isWithin = taker === undefined || giver === undefined || taker === giver;
    return isWithin ? [] : [{ taker, giver, line: `${from} -> ${to}` }];
  });
  const reaches = (start: string, goal: string, seen: Set<string>): boolean =>
    start === goal ||
    between.some(({ taker, giver }) => {
      if (taker !== start || seen.has(giver)) return false;
      seen.add(giver);
      return reaches(giver, goal, seen);
    });
  return between
    .filter(({ taker, giver }) => reaches(giver, taker, new Set([giver])))
    .map(({ line }) => line);
}

/** The imports of a top-level folder from one that does not stand before it in `order`. */
export function importsAgainst(order: readonly string[], sources: Sources): readonly string[] {
  const placeOf = (path: string): number => order.indexOf(path.slice(0, path.indexOf("/")));
  return importsOf(sources)
    .filter(({ from, to }) => from.includes("/") && to.includes("/"))
    .filter(({ from, to }) => placeOf(to) < 0 || placeOf(to) > placeOf(from))
    .map(({ from, to }) => `${from} -> ${to}`);
}

/** The exported types that several files declare, each with those files: one name has one meaning. */
export function namesOfSeveralTypes(sources: Sources): readonly string[] {
  const files = new Map<string, string[]>();
  for (const [path, text] of sources) {
    const declared = text.matchAll(/^export (?:abstract )?(?:class|enum|interface|type) (\w+)/gm);
    for (const [, name = ""] of declared) files.set(name, [...(files.get(name) ?? []), path]);
  }
  return [...files]
    .filter(([, paths]) => new Set(paths).size > 1)
    .map(([name, paths]) => `${name}: ${paths.join(", ")}`);
}
