import { startReference } from "../../reference/start-reference.ts";
import { openStoreWith, storeFaults } from "./store-faults.ts";

// A reference with a state file and, where one is named, a bug of its store:
// server-process.ts STATE PORT [FAULT]. It prints "ready" once it accepts requests.

const [stateFile = "", port = "0", name] = process.argv.slice(2);
const fault = storeFaults.find((each) => each.name === name);
const reference = await startReference({
  port: Number(port),
  stateFile,
  openStore: openStoreWith(fault),
});
process.once("SIGTERM", () => void reference.stop({ withinMs: 1_000 }));
process.stdout.write("ready\n");
