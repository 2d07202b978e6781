const charactersMax = 160;

/** A value in the few words a message has room for. */
export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`;
}
