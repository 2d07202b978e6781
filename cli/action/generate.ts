import { writeFile } from "node:fs/promises";
import { actionManifest } from "./manifest.ts";

await writeFile(new URL("../../action.yml", import.meta.url), actionManifest());
