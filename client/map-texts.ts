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
  // Numbers, of which there may be a million, hold no text.
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return mappedItems(value, (item) => mapTexts(item, change, kept));
  return mappedMembers(value, change, kept);
}

/** Copies nothing before something has changed: there may be a million samples of load. */
function mappedItems(
  items: readonly unknown[],
  map: (item: unknown) => unknown,
): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [at, item] of items.entries()) {
    const mapped = map(item);
    if (!Object.is(mapped, item)) copy ??= items.slice(0, at);
    copy?.push(mapped);
  }
  return copy ?? items;
}

function mappedMembers(
  value: object,
  change: (text: string) => string,
  kept: ReadonlySet<string>,
): object {
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => ({
    name,
    member,
    newName: change(name),
    mapped: kept.has(name) ? member : mapTexts(member, change, kept),
  }));
  const isSame = members.every(
    ({ name, member, newName, mapped }) => newName === name && Object.is(mapped, member),
  );
  return isSame
    ? value
    : Object.fromEntries(members.map(({ newName, mapped }) => [newName, mapped]));
}
