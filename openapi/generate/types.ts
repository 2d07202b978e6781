import openapiTS, { astToString } from "openapi-typescript";

import { folderUrl } from "./documents.ts";
import { header } from "./header.ts";

export async function generateTypes(source: string): Promise<string> {
  const nodes = await openapiTS(new URL(source, folderUrl), {
    alphabetize: false,
    // The server fills a default in, so a caller may leave the member out.
    defaultNonNullable: false,
  });
  return `${header(source)}\n${astToString(nodes)}`;
}
