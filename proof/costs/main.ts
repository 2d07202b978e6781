import { writeFile } from "node:fs/promises";
import { costsText, measureCosts } from "./measure-costs.ts";

const file = new URL("../../contracts/generated/costs.ts", import.meta.url);
await writeFile(file, costsText(await measureCosts()));
