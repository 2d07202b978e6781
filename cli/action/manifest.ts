import { stringify } from "yaml";

import { actionInputs } from "./inputs.ts";

const outputs = {
  verdict: "pass, fail, undecided, not-tested, wrong-usage or stopped",
  "exit-code": "the exit code of queueproof",
  report: "the directory of the report",
  passed: "how many requirements passed",
  failed: "how many failed",
  inconclusive: "how many were tried and not decided",
  "not-run": "how many were not tried",
  profiles: "the profiles by verdict, such as conformant: core, webhooks; untested: limits",
};

const command = { description: "contract, load, run or worker", default: "run" };
const program = { description: "of worker: the command that starts your worker, for the shell" };
const inputs = actionInputs.map(({ name, description }) => [name, { description }] as const);
const variables = actionInputs.map(
  ({ name, variable }) => [variable, `\${{ inputs.${name} }}`] as const,
);

/** The content of action.yml. The inputs are generated from the table of options. */
export const actionDocument = {
  name: "queueproof",
  description: "Proves that a server of the queue-based serverless job API keeps its contract",
  inputs: { command, program, ...Object.fromEntries(inputs) },
  outputs: Object.fromEntries(
    Object.entries(outputs).map(([name, description]) => [
      name,
      { description, value: `\${{ steps.check.outputs.${name} }}` },
    ]),
  ),
  runs: {
    using: "composite",
    steps: [
      {
        name: "Install queueproof",
        shell: "bash",
        "working-directory": "${{ github.action_path }}",
        run: "npm ci --include=dev && npm run build",
      },
      {
        name: "Check the target",
        id: "check",
        shell: "bash",
        run: 'node "$ACTION_PATH/dist/cli/action/main.js"',
        env: {
          ACTION_PATH: "${{ github.action_path }}",
          ACTION_COMMAND: "${{ inputs.command }}",
          ACTION_PROGRAM: "${{ inputs.program }}",
          ...Object.fromEntries(variables),
        },
      },
    ],
  },
};

/** The text of action.yml. */
export function actionManifest(): string {
  const text = stringify(actionDocument, { lineWidth: 0 });
  return `# Generated from the options by \`npm run generate:action\`. Do not edit.\n${text}`;
}
