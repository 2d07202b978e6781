import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the project. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** The built command line; nothing here builds it. */
export const main = join(root, "dist", "cli", "main.js");
