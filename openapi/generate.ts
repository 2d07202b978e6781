import { roomUrl } from "./generate/documents.ts";
import { generateFiles, writeOrCheck } from "./generate/files.ts";

await writeOrCheck(await generateFiles(), roomUrl, "openapi");
