/** Returns the members of an object, or an empty object for any other value. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Returns the members of an object in JSON, converted to texts. */
export function texts(json: string): Readonly<Record<string, string>> {
  const value: unknown = JSON.parse(json);
  return Object.fromEntries(
    Object.entries(record(value)).map(([name, each]) => [name, String(each)]),
  );
}
