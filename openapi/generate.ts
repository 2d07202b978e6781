import { folderUrl } from "./generate/documents.ts";
import { generateFiles, writeOrCheck } from "./generate/files.ts";

await writeOrCheck(await generateFiles(), folderUrl, "openapi");
