import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const clientFiles = ["client/main.ts", "client/page.css"].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);
const uplotDirectory = new URL("../../node_modules/uplot/", import.meta.url);
/** The module that holds the bundled script, for the writer of the page. */
export const generatedFile = new URL("generated/client.ts", import.meta.url);

/** Bundles the page's script and the plots' style sheet into the text of a module. */
export async function generatedClient(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: clientFiles,
    outdir: "out",
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    minify: true,
    legalComments: "none",
    charset: "ascii",
  });
  const textOf = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? "";
  const licence = (await readFile(new URL("LICENSE", uplotDirectory), "utf8")).trim();
  const notice = `uPlot (https://github.com/leeoniya/uPlot)\n\n${licence}`;
  return [
    "// Written by `npm run generate` from reports/html/client. Do not edit.",
    "",
    constant(
      "chartLicence",
      "The licence of the plots' library, which is part of the script.",
      notice,
    ),
    constant("clientScript", "The page's script.", textOf(".js")),
    constant("pageStyles", "The page's style sheet.", textOf(".css")),
  ].join("\n");
}

function constant(name: string, about: string, text: string): string {
  return `/** ${about} */\nexport const ${name} =\n  ${JSON.stringify(text)};\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(generatedFile, await generatedClient());
}
