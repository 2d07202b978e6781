import { fileURLToPath } from "node:url";

import { runAction } from "./run-action.ts";

// The second step of action.yml.
const cli = fileURLToPath(new URL("../main.js", import.meta.url));
process.exitCode = await runAction(cli);
