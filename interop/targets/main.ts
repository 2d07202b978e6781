import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { matrixPage } from "./matrix.ts";
import type { Column } from "./matrix.ts";
import { root } from "./target.ts";
import { targets } from "./targets.ts";

// `npm run targets`: checks every target in turn and writes docs/targets.md.
const columns: Column[] = [];
for (const target of targets) {
  process.stdout.write(`== ${target.name}\n`);
  columns.push({ target, reports: target.missing === "" ? await target.check() : target.missing });
}
await writeFile(join(root, "docs", "targets.md"), matrixPage(columns));
