import { generateFiles, staleFiles, writeFiles } from "./generate/files.ts";

const files = await generateFiles();

if (process.argv.includes("--check")) {
  const stale = await staleFiles(files);
  for (const path of stale) {
    process.stderr.write(`openapi/${path} is stale: run \`npm run generate\` and commit it.\n`);
  }
  if (stale.length > 0) process.exitCode = 1;
} else {
  await writeFiles(files);
}
