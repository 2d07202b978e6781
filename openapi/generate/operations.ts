import { header } from "./header.ts";
import {
  isObject,
  type DocumentObject,
  objectAt,
  readDocument,
  stringAt,
  stringsAt,
} from "./documents.ts";

/** Writes the operations (name, method, path, base limits and their requirements) and the schema each answers with. */
export async function generateOperations(): Promise<string> {
  const document = await readDocument("job-api.yaml");
  const found = Object.entries(objectAt(document["paths"], "paths")).flatMap(([path, item]) =>
    (["get", "post"] as const).flatMap((method) => {
      const operation = objectAt(item, path)[method];
      return isObject(operation) ? [{ path, method, operation }] : [];
    }),
  );
  return [
    header("job-api.yaml"),
    `export const operationTable = {\n${found.map(rowOf).join("\n")}\n} as const;\n`,
    `export const answerTable = {\n${found.map(answerOf).join("\n")}\n} as const;\n`,
  ].join("\n");
}

interface Found {
  readonly path: string;
  readonly method: "get" | "post";
  readonly operation: DocumentObject;
}

function rowOf({ path, method, operation }: Found): string {
  const name = nameOf({ path, operation });
  const limit = objectAt(operation["x-rate-limit"], `${path}: x-rate-limit`);
  const limits = Object.entries(limit).map(
    ([key, value]) => `${key}: ${value === null ? "undefined" : JSON.stringify(value)}`,
  );
  const fields = [
    `name: ${name}`,
    `method: ${JSON.stringify(method.toUpperCase())}`,
    `path: ${JSON.stringify(path)}`,
    `rateLimit: { ${limits.join(", ")} }`,
    `rate: ${requirementOf("RATE-", operation)}`,
    `concurrency: ${requirementOf("CONC-", operation)}`,
  ];
  return `  ${name}: { ${fields.join(", ")} },`;
}

/** The one requirement of an area that the operation names; throws where it names more. */
function requirementOf(prefix: string, operation: DocumentObject): string {
  const ids = stringsAt(operation["x-requirements"], "x-requirements");
  const [id, ...more] = ids.filter((each) => each.startsWith(prefix));
  if (more.length > 0) throw new TypeError(`more than one ${prefix} in ${ids.join(", ")}`);
  return id === undefined ? "undefined" : JSON.stringify(id);
}

function answerOf({ path, operation }: Found): string {
  const place = `${path}: responses/200`;
  const responses = objectAt(operation["responses"], place);
  const content = objectAt(objectAt(responses["200"], place)["content"], place);
  const schema = objectAt(objectAt(content["application/json"], place)["schema"], place);
  const reference = stringAt(schema["$ref"], place);
  return `  ${nameOf({ path, operation })}: ${JSON.stringify(reference.split("/").at(-1))},`;
}

function nameOf({ path, operation }: Pick<Found, "path" | "operation">): string {
  return JSON.stringify(stringAt(operation["operationId"], `${path}: operationId`));
}
