import { header } from "./header.ts";
import { isObject, type JsonObject, objectAt, readDocument, stringAt } from "./documents.ts";

/** Writes the table of operations: name, method, path, schema of the answer and base limits. */
export async function generateOperations(): Promise<string> {
  const document = await readDocument("job-api.yaml");
  const paths = objectAt(document["paths"], "paths");
  const lines = Object.entries(paths).flatMap(([path, item]) =>
    (["get", "post"] as const).flatMap((method) => {
      const operation = objectAt(item, path)[method];
      return isObject(operation) ? [lineOf(path, method, operation)] : [];
    }),
  );
  return `${header("job-api.yaml")}\nexport const operationTable = {\n${lines.join("\n")}\n} as const;\n`;
}

function lineOf(path: string, method: "get" | "post", operation: JsonObject): string {
  const name = stringAt(operation["operationId"], `${path}: operationId`);
  const limit = objectAt(operation["x-rate-limit"], `${path}: x-rate-limit`);
  const fields = [
    `name: ${JSON.stringify(name)}`,
    `method: ${JSON.stringify(method.toUpperCase())}`,
    `path: ${JSON.stringify(path)}`,
    `answer: ${JSON.stringify(answerOf(operation, path))}`,
    `rateLimit: { ${Object.entries(limit)
      .map(([key, value]) => `${key}: ${value === null ? "undefined" : JSON.stringify(value)}`)
      .join(", ")} }`,
  ];
  return `  ${JSON.stringify(name)}: { ${fields.join(", ")} },`;
}

function answerOf(operation: JsonObject, path: string): string {
  const place = `${path}: responses/200`;
  const responses = objectAt(operation["responses"], place);
  const content = objectAt(objectAt(responses["200"], place)["content"], place);
  const schema = objectAt(objectAt(content["application/json"], place)["schema"], place);
  return stringAt(schema["$ref"], place).slice("#/components/schemas/".length);
}
