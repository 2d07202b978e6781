import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";

import { segmentOf } from "../../client/index.ts";
import { clusterManifests, clusterNeeds, clusterPointsFile } from "../../load/distributed/k8s.ts";
import { rateFindingOfRunner } from "../../load/distributed/rate-finding.ts";
import { scriptFiles } from "../../load/distributed/script-files.ts";
import { offeredTiers } from "../../load/engines.ts";
import { k6Script, rateSettings } from "../../load/k6/index.ts";
import { createReport, writeReports } from "../../reports/index.ts";
import type { Tier } from "../../scenarios/tiers.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { loadPlan, loadPlanText, selectedIds } from "../load-plan.ts";
import type { ContractCommandSettings, GivenTarget } from "../settings/contract.ts";
import { toolVersion } from "../version.ts";

const name = "queueproof-rate";

/**
 * Writes what the k6 operator needs to run the rates of k6 by several runners, and a report for each
 * of them that says where its points belong. Nothing is sent.
 * @throws CommandError WRONG_USAGE where no rate is left to run
 */
export async function distribute(settings: ContractCommandSettings, io: Io): Promise<number> {
  const { target, reportDirectory } = settings;
  if (target === undefined) throw new CommandError("WRONG_USAGE", "--distributed needs a target");
  const tiers = offeredTiers(selectedIds(settings), settings.capabilities);
  if (tiers.length === 0) {
    throw new CommandError("WRONG_USAGE", "no rate is left to run", {
      hint: "Select one of RATE-01 to RATE-08; cancel, openai and requests need their --capability.",
    });
  }
  const folder = join(reportDirectory, "k8s");
  await mkdir(folder, { recursive: true });
  for (const [file, text] of await manifestTexts(tiers, target, settings)) {
    await writeFile(join(folder, file), text);
  }
  await writeRunnerReports(tiers, target, settings);
  io.write(instructions(folder, settings));
  return 0;
}

async function manifestTexts(
  tiers: readonly Tier[],
  { baseUrl, endpointId = "" }: GivenTarget,
  { sharing: { runners } }: ContractCommandSettings,
): Promise<readonly (readonly [string, string])[]> {
  const script = k6Script("rate");
  const url = `${baseUrl}/v2/${segmentOf(endpointId)}`;
  const { configMap, testRun } = clusterManifests({
    name,
    runners,
    script: "scenarios/k6/rate.ts",
    files: await scriptFiles(script),
    settings: await rateSettings({
      tiers,
      endpointFor: async () => ({ url }),
      endpointsAreFresh: false,
    }),
  });
  return [
    ["configmap.yaml", stringify(configMap, { lineWidth: 0 })],
    ["testrun.yaml", stringify(testRun, { lineWidth: 0 })],
  ];
}

async function writeRunnerReports(
  tiers: readonly Tier[],
  { baseUrl, endpointId = "" }: GivenTarget,
  { sharing: { runners }, reportDirectory, ...settings }: ContractCommandSettings,
): Promise<void> {
  for (let runner = 1; runner <= runners; runner += 1) {
    const points = { file: clusterPointsFile, runner, runners };
    const findings = tiers.map((tier) =>
      rateFindingOfRunner(
        tier,
        { summary: undefined, undecided: undefined, durationMs: 0 },
        points,
      ),
    );
    const report = createReport({
      toolVersion: toolVersion(),
      nodeVersion: process.version,
      command: "load",
      seed: settings.seed,
      startedAt: new Date(),
      durationMs: 0,
      target: { baseUrl, endpointId, capabilities: settings.capabilities },
      dialect: settings.dialect.name,
      results: findings.map(({ check }) => check),
      load: findings.map(({ figures }) => figures),
    });
    const directory = join(reportDirectory, `${name}-${runner}`);
    await writeReports(report, { directory, formats: ["json"] });
  }
}

function instructions(folder: string, settings: ContractCommandSettings): string {
  const { secret, secretKey, claim } = clusterNeeds;
  const { reportDirectory, target } = settings;
  const reports = join(reportDirectory, `${name}-*`, "report.json");
  return [
    `What all runners send to ${target?.baseUrl ?? ""} together: ${loadPlanText(loadPlan(settings))}`,
    "",
    `Written to ${folder}: configmap.yaml and testrun.yaml for the k6 operator. Nothing was sent.`,
    `  1. kubectl create secret generic ${secret} --from-literal=${secretKey}=KEY`,
    `  2. make a PersistentVolumeClaim called ${claim} that all runners can write to`,
    `  3. kubectl apply -f ${folder}`,
    `  4. copy ${name}-1/${clusterPointsFile} and the others from the volume over ${reportDirectory}`,
    `  5. queueproof report ${reports}`,
    "",
  ].join("\n");
}
