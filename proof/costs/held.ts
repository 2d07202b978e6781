import { writeFile } from "node:fs/promises";
import { heldText, measureHeld } from "./measure-held.ts";

const file = new URL("../../contracts/generated/held.ts", import.meta.url);
await writeFile(file, heldText(await measureHeld()));
