import { Ajv } from "ajv";

/** Returns the nested member at `path`; undefined where one is missing. */
export function memberIn(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = Object.entries(at).find(([each]) => each === name)?.[1];
  }
  return at;
}

export function membersOf(value: unknown, ...path: readonly string[]): Record<string, unknown> {
  const found = memberIn(value, ...path);
  if (typeof found === "object" && found !== null) return Object.fromEntries(Object.entries(found));
  throw new TypeError(`${path.join(".")} is no object`);
}

export function textIn(value: unknown, ...path: readonly string[]): string {
  const found = memberIn(value, ...path);
  if (typeof found === "string") return found;
  throw new TypeError(`${path.join(".")} is no text`);
}

/**
 * Makes a validator from a CustomResourceDefinition. Like a cluster that refuses unknown members, it returns what is
 * wrong with an object.
 */
export function crdValidator(definition: unknown): (object: unknown) => readonly string[] {
  const schema = closed(memberIn(definition, "spec", "versions", "0", "schema", "openAPIV3Schema"));
  if (typeof schema !== "object" || schema === null) throw new TypeError("that is no definition");
  const validate = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(
    schema,
  );
  return (object) =>
    validate(object)
      ? []
      : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ""}`);
}

/** Forbids unknown members wherever members are listed, except in metadata, which the cluster defines. */
function closed(schema: unknown, name = ""): unknown {
  if (Array.isArray(schema)) return schema.map((each) => closed(each));
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value, key)]),
  );
  const isOpen = name === "properties" || name === "metadata" || "additionalProperties" in copy;
  return "properties" in copy && !isOpen ? { ...copy, additionalProperties: false } : copy;
}
