/** The members of an object; none where the value is no object. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The members of the object that a JSON text holds, as texts. */
export function texts(json: string): Readonly<Record<string, string>> {
  const value: unknown = JSON.parse(json);
  return Object.fromEntries(
    Object.entries(record(value)).map(([name, each]) => [name, String(each)]),
  );
}
