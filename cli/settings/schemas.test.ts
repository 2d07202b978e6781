import { expect, test } from "vitest";
import { dialectSchema } from "../../harness/dialects/generated/dialect-schema.ts";
import { jobsSchema } from "../../harness/inputs/generated/jobs-schema.ts";
import { wordedAjv } from "../../openapi/worded-schema.ts";
import { optionRows } from "./options.ts";

const schemas = [
  ...Object.entries(optionRows).map(([name, { schema }]) => ({ name, schema })),
  { name: "dialects", schema: dialectSchema },
  { name: "jobs files", schema: jobsSchema },
];

test.each(schemas)("the schema of $name is a schema", ({ schema }) => {
  expect(wordedAjv.validateSchema(schema)).toBe(true);
});

test("what is no schema is told from one", () => {
  expect(wordedAjv.validateSchema({ type: "text" })).toBe(false);
});
