/**
 * The value with every text in it changed, at any depth, and the names of its members too; it is the same object where
 * nothing changed. Members whose names are in `kept` stay as they are.
 */
export function mapTexts<Value>(
  value: Value,
  change: (text: string) => string,
  kept: ReadonlySet<string>,
): Value;
export function mapTexts(
  value: unknown,
  change: (text: string) => string,
  kept: ReadonlySet<string>,
): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const given: readonly unknown[] = value;
    const items = given.map((item) => mapTexts(item, change, kept));
    return items.every((item, at) => item === given[at]) ? given : items;
  }
  const members = Object.entries(value).map(
    ([name, member]: [string, unknown]) =>
      [change(name), kept.has(name) ? member : mapTexts(member, change, kept)] as const,
  );
  const isSame = members.every(([name, member]) => Reflect.get(value, name) === member);
  return isSame ? value : Object.fromEntries(members);
}
