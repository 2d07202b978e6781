import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";

import { isObject, type DocumentObject, objectAt, readDocument } from "./generate/documents.ts";
import { operations } from "./operations.ts";
import { isRequirementId, requirementIds } from "./requirements.ts";

const jobDocument = await readDocument("job-api.yaml");
const controlDocument = await readDocument("control-api.yaml");

describe.each([
  { name: "job-api.yaml", document: jobDocument },
  { name: "control-api.yaml", document: controlDocument },
])("$name", ({ document }) => {
  const examples = examplesIn(document, "#");
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema({ ...document, $id: "document" });

  test("has examples", () => {
    expect(examples.length).toBeGreaterThan(5);
  });

  test.each(examples)("the example at $place is valid", ({ schemaPlace, value }) => {
    const validate = ajv.getSchema(`document${schemaPlace}`);
    expect(validate?.(value), ajv.errorsText(validate?.errors)).toBe(true);
  });

  test("gives every body an example", () => {
    const bare = objectsIn(document, "#").filter(
      ({ value, place }) => place.endsWith("/application~1json") && value["examples"] === undefined,
    );
    expect(bare.map(({ place }) => place)).toEqual([]);
  });
});

describe("x-requirements", () => {
  const named = objectsIn(jobDocument, "#").flatMap(({ value, place }) => {
    const ids: unknown = value["x-requirements"];
    return Array.isArray(ids) ? ids.map((id) => ({ id: String(id), place })) : [];
  });

  test("name entries of the catalogue only", () => {
    expect(named.filter(({ id }) => !isRequirementId(id))).toEqual([]);
  });

  test("name every entry at least once", () => {
    const found = new Set(named.map(({ id }) => id));
    expect(requirementIds.filter((id) => !found.has(id))).toEqual([]);
  });

  test("name no entry twice in one place", () => {
    const keys = named.map(({ id, place }) => `${id} at ${place}`);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  test("stand at every operation", () => {
    for (const [path, item] of Object.entries(objectAt(jobDocument["paths"], "paths"))) {
      const operation = Object.entries(objectAt(item, path)).find(
        ([key]) => key === "get" || key === "post",
      );
      expect(operation?.[1], path).toHaveProperty("x-requirements");
    }
  });
});

test("every operation documents the five errors", () => {
  for (const [path, item] of Object.entries(objectAt(jobDocument["paths"], "paths"))) {
    const [, operation] =
      Object.entries(objectAt(item, path)).find(([key]) => key !== "parameters") ?? [];
    const codes = Object.keys(objectAt(objectAt(operation, path)["responses"], path));
    expect(codes, path).toEqual(expect.arrayContaining(["200", "400", "401", "404", "429", "500"]));
  }
});

test("the control protocol holds the operations of the job API", () => {
  const schemas = objectAt(
    objectAt(controlDocument["components"], "components")["schemas"],
    "schemas",
  );
  const held = objectAt(schemas["HeldOperation"], "HeldOperation");
  expect(held["enum"]).toEqual(operations.map(({ name }) => name));
});

interface Place {
  readonly value: DocumentObject;
  readonly place: string;
}

interface Example {
  readonly place: string;
  readonly schemaPlace: string;
  readonly value: unknown;
}

/** Every mapping of a document with its JSON pointer; examples are data and are not entered. */
function objectsIn(value: unknown, place: string): readonly Place[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => objectsIn(item, `${place}/${index}`));
  if (!isObject(value)) return [];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    key === "examples"
      ? []
      : objectsIn(item, `${place}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
  return [{ value, place }, ...inner];
}

/** The examples of bodies (a named table) and of parameters (a single value), each beside its schema. */
function examplesIn(document: DocumentObject, root: string): readonly Example[] {
  const holders = objectsIn(document, root).filter(({ value }) => value["schema"] !== undefined);
  const single = holders.filter(({ value }) => value["example"] !== undefined).map(singleOf);
  return [...holders.flatMap(namedOf), ...single];
}

function singleOf({ value, place }: Place): Example {
  return { place, schemaPlace: `${place}/schema`, value: value["example"] };
}

function namedOf({ value, place }: Place): readonly Example[] {
  const table = isObject(value["examples"]) ? value["examples"] : {};
  return Object.entries(table).map(([name, example]) => ({
    place: `${place}/examples/${name}`,
    schemaPlace: `${place}/schema`,
    value: objectAt(example, name)["value"],
  }));
}
