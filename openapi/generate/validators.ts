import { _ } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";

import { formats } from "../formats.ts";
import { controlSchemaNames, jobSchemaNames } from "../schema-names.ts";
import { isObject, type Json, objectAt, readDocument } from "./documents.ts";
import { header } from "./header.ts";

const sources = [
  { key: "job", file: "job-api.yaml", names: jobSchemaNames },
  { key: "control", file: "control-api.yaml", names: controlSchemaNames },
] as const;

/**
 * Writes the validators as standalone code: no schema is compiled when the program starts.
 * `require` is kept as Ajv writes it and made with `createRequire`, since Ajv's runtime parts are CommonJS and their
 * default exports differ between Node and test runners when they are imported.
 */
export async function generateValidators(): Promise<string> {
  const ajv = new Ajv2020({
    code: { source: true, esm: true, lines: true, formats: _`formats` },
    formats,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
  });
  ajv.addVocabulary(["components"]);

  const exportedIds: Record<string, string> = {};
  for (const { key, file, names } of sources) {
    const components = objectAt((await readDocument(file))["components"], `${file}: components`);
    const schemas = withoutAnnotations(
      objectAt(components["schemas"], `${file}: schemas`),
      "names",
    );
    ajv.addSchema({ $id: key, components: { schemas } });
    for (const name of names) exportedIds[name] = `${key}#/components/schemas/${name}`;
  }

  const code = standalone.default(ajv, exportedIds).replaceAll(/^export const/gmu, "const");
  return [
    "// @ts-nocheck",
    header("job-api.yaml and openapi/control-api.yaml"),
    'import { createRequire } from "node:module";\n',
    'import { formats } from "../formats.ts";',
    'import type { Validators } from "../schemas.ts";\n',
    "const require = createRequire(import.meta.url);",
    code.replace(/^"use strict";/u, ""),
    "/** One validator for each schema a body is read with. They accept members the schema does not name. */",
    `export const validators: Validators = { ${Object.keys(exportedIds).join(", ")} };\n`,
  ].join("\n");
}

const annotations = new Set([
  "description",
  "title",
  "example",
  "examples",
  "default",
  "writeOnly",
]);

/** Drops keywords that say nothing about validity, which Ajv would put into the code. Member names are no keywords. */
function withoutAnnotations(value: Json, keys: "keywords" | "names"): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutAnnotations(item, "keywords"));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([key]) => keys === "names" || !(annotations.has(key) || key.startsWith("x-")),
  );
  return Object.fromEntries(
    kept.map(([key, item]) => {
      const next = keys === "keywords" && key === "properties" ? "names" : "keywords";
      return [key, withoutAnnotations(item, next)];
    }),
  );
}
