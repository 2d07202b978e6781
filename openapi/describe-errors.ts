import type { SchemaError } from "./schemas.ts";

/**
 * One line that names the place and the rule of each problem: "/jobs/failed must be integer".
 * The body itself is written "body". Values never appear, so nothing secret can leak through it.
 */
export function describeErrors(errors: readonly SchemaError[] | null | undefined): string {
  if (errors === null || errors === undefined || errors.length === 0) return "valid";
  // A condition reports itself after the rule that broke: only the rule says anything.
  const telling = errors.filter(({ keyword }) => keyword !== "if");
  return (telling.length === 0 ? errors : telling).map(describeError).join("; ");
}

function describeError({ instancePath, keyword, message, params }: SchemaError): string {
  const place = instancePath === "" ? "body" : instancePath;
  return `${place} ${ruleOf(keyword, message, params)}`;
}

function ruleOf(
  keyword: string,
  message: string | undefined,
  params: SchemaError["params"],
): string {
  switch (keyword) {
    case "false schema":
      return "must not be present";
    case "enum":
      return `must be one of ${listOf(params["allowedValues"])}`;
    case "type":
      return `must be ${listOf(params["type"], " or ")}`;
    default:
      return message ?? `breaks the rule ${keyword}`;
  }
}

function listOf(value: unknown, separator = ", "): string {
  return Array.isArray(value) ? value.join(separator) : String(value);
}
