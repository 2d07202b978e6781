import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, posix } from "node:path";
import { promisify } from "node:util";
import { DockerfileParser } from "dockerfile-ast";
import type { Instruction } from "dockerfile-ast";

const run = promisify(execFile);

/** A stage of an image, built in a folder that stands for the root of its file system. */
export interface Stage {
  readonly root: string;
  /** Inside the stage: `/data`. */
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly entrypoint: readonly string[];
}

/** The context of the build, and folders that stand for stages which are not built here. */
export interface BuildOptions {
  readonly context: string;
  readonly given: Readonly<Record<string, string>>;
}

/**
 * Carries out the steps of an image file without a container: every COPY, RUN, WORKDIR, USER and ENV,
 * each stage in a folder of its own, on the Node of this machine in place of the base image. Returns the last stage.
 * @throws Error of the step that failed, with what it printed.
 */
export async function buildStages(text: string, { context, given }: BuildOptions): Promise<Stage> {
  const roots: Record<string, string> = { ...given };
  let last: Stage | undefined;
  for (const { name, instructions } of stagesIn(text)) {
    if (name in given) continue;
    const root = await mkdtemp(join(tmpdir(), "queueproof-image-"));
    await chmod(root, 0o755);
    roots[name] = root;
    let stage: Stage = {
      root,
      workingDirectory: "/",
      environment: {},
      user: undefined,
      entrypoint: [],
    };
    for (const instruction of instructions) {
      stage = await carriedOut(stage, instruction, { roots, context });
    }
    last = stage;
  }
  if (last === undefined) throw new Error("the image file has no stage to build");
  return last;
}

interface StageText {
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

function stagesIn(text: string): readonly StageText[] {
  const stages: { name: string; instructions: Instruction[] }[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    if (instruction.getKeyword() === "FROM") {
      stages.push({ name: wordsOf(instruction)[2] ?? "", instructions: [] });
    } else {
      stages.at(-1)?.instructions.push(instruction);
    }
  }
  return stages;
}

function wordsOf(instruction: Instruction): readonly string[] {
  return instruction.getArguments().map((argument) => argument.getValue());
}

interface Places {
  readonly roots: Readonly<Record<string, string>>;
  readonly context: string;
}

async function carriedOut(stage: Stage, instruction: Instruction, places: Places): Promise<Stage> {
  const words = wordsOf(instruction);
  const [first = ""] = words;
  const rest = instruction.getRawArgumentsContent() ?? "";
  switch (instruction.getKeyword()) {
    case "WORKDIR":
      await mkdir(join(stage.root, first), { recursive: true });
      return { ...stage, workingDirectory: first };
    case "USER":
      return { ...stage, user: first };
    case "ENV":
      return { ...stage, environment: Object.fromEntries(words.map(variableIn)) };
    case "ENTRYPOINT":
      return { ...stage, entrypoint: rest.match(/(?<=")[^",]+(?=")/g) ?? [] };
    case "COPY":
      await copy(stage, instruction, places);
      return stage;
    case "RUN":
      await runStep(stage, rest);
      return stage;
    case "CMD":
      return stage;
    default:
      throw new Error(`${instruction.getKeyword()} is not carried out here`);
  }
}

function variableIn(word: string): readonly [string, string] {
  const [name = "", value = ""] = word.split("=");
  return [name, value];
}

async function copy(
  stage: Stage,
  instruction: Instruction,
  { roots, context }: Places,
): Promise<void> {
  const from = /--from=(\S+)/.exec(instruction.getTextContent())?.[1];
  const source = from === undefined ? context : (roots[from] ?? "");
  const words = wordsOf(instruction).filter((word) => !word.startsWith("--"));
  const target = join(stage.root, posix.resolve(stage.workingDirectory, words.at(-1) ?? ""));
  const isFolder = (words.at(-1) ?? "").endsWith("/");
  for (const word of words.slice(0, -1)) {
    const here = join(source, word);
    const isFile = (await stat(here)).isFile();
    const there = isFile && isFolder ? join(target, basename(word)) : target;
    await cp(here, there, { recursive: true, verbatimSymlinks: true });
  }
}

/** The folders of the image that a command may name; here they stand under the stage's root. */
const imageFolders = /(?<=^|[\s="'])\/(?=usr\/local\/|opt\/|data\b|out\b|build\b)/g;

async function runStep({ root, workingDirectory }: Stage, command: string): Promise<void> {
  await mkdir(join(root, "usr/local/bin"), { recursive: true });
  const here = command.replaceAll(imageFolders, `${root}/`);
  // npm takes what it can from its cache, where all of it is from an installation before.
  const env = { ...process.env, npm_config_prefer_offline: "true" };
  await run("bash", ["-e", "-c", here], { cwd: join(root, workingDirectory), env });
}
