import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";
import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes } from "parse5";
import { validateXML } from "xmllint-wasm";
import formats from "ajv-formats";

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

const junitSchema = readFileSync(new URL("junit.xsd", import.meta.url), "utf8");

/** Returns what an XSD finds wrong with a JUnit file; empty where it is valid. */
export async function junitProblems(
  xml: string,
  schema: string = junitSchema,
): Promise<readonly string[]> {
  const { errors } = await validateXML({
    xml: [{ fileName: "junit.xml", contents: xml }],
    schema: [schema],
  });
  return errors.map(({ message }) => message);
}

/** Returns what the published schema of HAR 1.2 finds wrong. */
export function harProblems(har: unknown): readonly string[] {
  const require = createRequire(import.meta.url);
  // The schema is written for draft 06 and has two keywords of its own.
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addMetaSchema(objectOf(require("ajv/dist/refs/json-schema-draft-06.json")));
  for (const schema of Object.values(objectOf(require("har-schema")))) {
    ajv.addSchema(objectOf(schema));
  }
  const validate = ajv.compile({ $ref: "har.json#" });
  void validate(har);
  return (validate.errors ?? []).map(
    ({ instancePath, message = "" }) => `${instancePath} ${message}`,
  );
}

/** Narrows a value to an object; throws otherwise, which means that the test is broken. */
function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw new Error(`no object: ${String(value)}`);
  return { ...value };
}

export interface Page {
  readonly elements: readonly Element[];
  /** Parse errors: where the text is not correct HTML. */
  readonly errors: readonly string[];
}

/** Parses a page as a browser does. */
export function readPage(html: string): Page {
  const errors: string[] = [];
  const document = parse(html, { onParseError: ({ code }) => errors.push(code) });
  return { elements: elementsUnder(document.childNodes), errors };
}

function elementsUnder(nodes: readonly Node[]): readonly Element[] {
  const elements = nodes.filter((node) => defaultTreeAdapter.isElementNode(node));
  return elements.flatMap((element) => [element].concat(elementsUnder(element.childNodes)));
}

export function attributeOf(element: Element, wanted: string): string | undefined {
  return element.attrs.find(({ name }) => name === wanted)?.value;
}

export function textOf(element: Element): string {
  return element.childNodes
    .map((node) => {
      if (defaultTreeAdapter.isTextNode(node)) return node.value;
      return defaultTreeAdapter.isElementNode(node) ? textOf(node) : "";
    })
    .join("");
}
