import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { matrixPage } from "./matrix.ts";
import type { Column } from "./matrix.ts";
import { root } from "../../test/project.ts";
import { reportsOf } from "./target.ts";
import { targets } from "./targets.ts";

// `npm run targets` checks every target in turn, or those named, and writes docs/evidence/targets.md. For a target that
// is not checked now it reads the last reports.
const named = process.argv.slice(2);
const unknown = named.filter((name) => !targets.some((target) => target.name === name));
if (unknown.length > 0) {
  const names = targets.map(({ name }) => name).join(", ");
  throw new Error(`${unknown.join(", ")} is no target; they are ${names}`);
}

const columns: Column[] = [];
for (const target of targets) {
  const isMeant = named.length === 0 || named.includes(target.name);
  if (isMeant && target.missing === "") {
    process.stdout.write(`== ${target.name}\n`);
    await target.check();
  }
  const reports = await reportsOf(target);
  const why = target.missing === "" ? "it was not checked yet" : target.missing;
  columns.push({ target, reports: reports.length > 0 ? reports : why });
}
await writeFile(join(root, "docs", "evidence", "targets.md"), matrixPage(columns));
