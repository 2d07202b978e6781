import { configSettings } from "../settings/command-options.ts";
import { optionRows } from "../settings/options.ts";
import type { SettingValues } from "../settings/options.ts";

/** Example values for the commented settings that were not chosen. */
const examples: SettingValues = {
  baseUrl: "http://127.0.0.1:8080",
  endpoint: ["my-endpoint"],
  control: "http://127.0.0.1:8080/__control",
  ca: "authorities.pem",
  cert: "client.pem",
  certKey: "client.key",
  capability: ["handler", "crash"],
  jobs: "jobs.json",
  input: '{"prompt": "hello"}',
  dialect: "spec",
  webhookUrl: "https://receiver.example.com/",
  webhookPort: 8090,
  waitForTarget: "30s",
  timeout: "30s",
  timeBudget: "2m",
  rate: 20,
  timeLimit: "10m",
  only: ["RUNA-*"],
  profile: ["core"],
  skip: ["RATE-*"],
  require: ["AUTH-*"],
  allowInconclusive: ["CONC-*"],
  baseline: "known-failures.txt",
  seed: 1,
  onlyChanged: "reports/latest/report.json",
  report: "reports/latest",
  format: ["html", "junit"],
};

/** Makes the text of a config file: every setting with its meaning; those not chosen are commented out. */
export function configText(chosen: SettingValues): string {
  const entries = configSettings.map((name) => {
    const value = chosen[name];
    const line = `${JSON.stringify(name)}: ${shown(value ?? examples[name])},`;
    return `  // ${optionRows[name].description}\n  ${value === undefined ? "// " : ""}${line}`;
  });
  return `${head}{\n${entries.join("\n\n")}\n}\n`;
}

const head = `// Settings of queueproof in this directory: JSON with comments. An option or a variable wins over
// them. Keys stay out: QUEUEPROOF_API_KEY and QUEUEPROOF_FOREIGN_KEY; so do QUEUEPROOF_HEADER and QUEUEPROOF_PROXY.
`;

function shown(value: unknown): string {
  return Array.isArray(value)
    ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]`
    : JSON.stringify(value);
}
