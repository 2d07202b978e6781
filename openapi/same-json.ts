/** Whether two values of JSON are the same: the order of members tells nothing. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (!isContainer(one) || !isContainer(other)) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const members = Object.entries(one);
  const others = new Map(Object.entries(other));
  return (
    members.length === others.size &&
    members.every(([name, value]) => others.has(name) && isSameJson(value, others.get(name)))
  );
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
