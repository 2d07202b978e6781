import type { RequestRules } from "../../client/request-rules.ts";
import { scriptEnvironment } from "../k6/request-settings.ts";
import { pointsArguments } from "../k6/run.ts";
import type { ScriptFile } from "./script-files.ts";

/** What a test in a cluster is made of. */
export interface ClusterTest {
  /** Names everything that is made; runner 1 is the job `<name>-1`. */
  readonly name: string;
  readonly runners: number;
  /** The script that is run, among `files`. */
  readonly script: string;
  readonly files: readonly ScriptFile[];
  /** How requests are sent: without headers of the user's, which are secret. */
  readonly rules: RequestRules;
  /** What the script finds as JSON in QUEUEPROOF_SCENARIO. Anybody can read it: no key may be in it. */
  readonly settings: unknown;
}

export interface Manifests {
  readonly configMap: object;
  readonly testRun: object;
}

/** What has to exist beforehand: a secret with the key, and a volume that all runners can write to. */
export const clusterNeeds = {
  secret: "queueproof",
  secretKey: "api-key",
  claim: "queueproof-points",
} as const;

/** The file each runner leaves in a folder of its own on the volume; the folder has the name of its job. */
export const clusterPointsFile = "points.json.gz";

const scriptsAt = "/queueproof";
const pointsAt = "/points";
const image = "grafana/k6:1.8.1";
/** The user of k6's image: a volume that it writes to has to belong to it. */
const imageUser = 12_345;

/**
 * The manifests for the k6 operator (TestRun, k6.io/v1alpha1): it starts so many runners, gives each
 * its execution segment, and lets them begin together. The same test gives the same bytes.
 */
export function clusterManifests(test: ClusterTest): Manifests {
  const { name, runners, script } = test;
  const labels = { "app.kubernetes.io/name": name, "app.kubernetes.io/managed-by": "queueproof" };
  return {
    configMap: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, labels },
      data: Object.fromEntries(test.files.map(({ path, text }) => [keyOf(path), text])),
    },
    testRun: {
      apiVersion: "k6.io/v1alpha1",
      kind: "TestRun",
      metadata: { name, labels },
      spec: {
        parallelism: runners,
        // Mounted by `volumes` below: a ConfigMap named here would lose the folders that imports go through.
        script: { localFile: `${scriptsAt}/${script}` },
        arguments: argumentsOfRunner().join(" "),
        // The initializer only reads the script, so it gets neither the key nor anything to write to.
        initializer: podOf(test, { env: commonEnv(test), volumes: [], volumeMounts: [] }),
        runner: podOf(test, runnerOf(test)),
      },
    },
  };
}

/** Thresholds hold for all runners together: `queueproof report` judges them, and not each runner. */
function argumentsOfRunner(): readonly string[] {
  return [
    "--no-thresholds",
    "--no-usage-report",
    // The operator recognises `--out` only as a word of its own.
    ...pointsArguments(`${pointsAt}/${clusterPointsFile}`).flatMap((each) =>
      each.split(/=(.*)/s, 2),
    ),
  ];
}

interface PodParts {
  readonly env: readonly object[];
  readonly volumes: readonly object[];
  readonly volumeMounts: readonly object[];
}

function podOf({ name, files }: ClusterTest, { env, volumes, volumeMounts }: PodParts): object {
  const items = files.map(({ path }) => ({ key: keyOf(path), path }));
  return {
    image,
    env,
    securityContext: { runAsNonRoot: true, runAsUser: imageUser, fsGroup: imageUser },
    volumes: [{ name: "scripts", configMap: { name, items } }, ...volumes],
    volumeMounts: [{ name: "scripts", mountPath: scriptsAt, readOnly: true }, ...volumeMounts],
  };
}

function runnerOf(test: ClusterTest): PodParts {
  const { secret, secretKey, claim } = clusterNeeds;
  return {
    env: [
      ...commonEnv(test),
      {
        name: "QUEUEPROOF_API_KEY",
        valueFrom: { secretKeyRef: { name: secret, key: secretKey } },
      },
      { name: "RUNNER", valueFrom: { fieldRef: { fieldPath: "metadata.labels['job-name']" } } },
    ],
    volumes: [{ name: "points", persistentVolumeClaim: { claimName: claim } }],
    volumeMounts: [{ name: "points", mountPath: pointsAt, subPathExpr: "$(RUNNER)" }],
  };
}

function commonEnv({ rules, settings }: ClusterTest): readonly object[] {
  return Object.entries(scriptEnvironment(rules, settings)).map(([name, value]) => ({
    name,
    value,
  }));
}

/** A key of a ConfigMap holds no slash. */
function keyOf(path: string): string {
  return path.replaceAll("/", "__");
}
