import { parseArgs } from "node:util";

import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import { faults } from "./faults.ts";

// `npm run faulty -- FAULT… [--real] [--port N]`: the reference with bugs of the fault table, to see why a check does
// not find them; ended by Ctrl-C. On a virtual clock it is told of by its control protocol, on a real one by a key.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    real: { type: "boolean", default: false },
    port: { type: "string", default: "8080" },
  },
});

let behaviour = specified;
for (const name of positionals) {
  const fault = faults.find((each) => each.name === name);
  if (fault === undefined) throw new Error(`there is no fault "${name}" in proof/faults`);
  behaviour = changed(behaviour, fault.change(behaviour));
}
const { baseUrl, controlUrl, endpointId, apiKey } = await startReference({
  behaviour,
  port: Number(values.port),
  control: !values.real,
});
const target =
  controlUrl === undefined
    ? `--base-url ${baseUrl} --endpoint '${endpointId}' --api-key '${apiKey}' --capability handler`
    : `--control ${controlUrl}`;
process.stdout.write(`npx queueproof contract ${target}\n`);
