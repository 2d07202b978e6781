import type { Io } from "../io.ts";
import { oneLine } from "../progress/one-line.ts";
import { checkLayer } from "../settings/check.ts";
import { flagLayer } from "../settings/sources.ts";
import type { Flags } from "../settings/sources.ts";
import type { SettingName, SettingValues } from "../settings/options.ts";
import type { TerminalInput } from "../terminal-input.ts";

interface Question {
  readonly setting: SettingName;
  readonly text: string;
  /** Whether the question is asked, given the earlier answers. */
  readonly asked: (before: Flags) => boolean;
  /** Turns an answer into the setting's value; by default the answer is the value. */
  readonly means?: (answer: string) => string | undefined;
}

const always = (): boolean => true;
const ofServer = ({ baseUrl }: Flags): boolean => baseUrl !== undefined;
const ofBareServer = (before: Flags): boolean => ofServer(before) && before.control === undefined;

const questions: readonly Question[] = [
  {
    setting: "baseUrl",
    text: "URL of the server to test, without /v2 (Enter: the embedded reference)",
    asked: always,
  },
  { setting: "control", text: "URL of its control protocol (Enter: it has none)", asked: ofServer },
  { setting: "endpoint", text: "Id of the endpoint to test", asked: ofBareServer },
  {
    setting: "capability",
    text: "Do its workers run the conformance handler? y or n (Enter: n)",
    asked: ofBareServer,
    means: (answer) => (/^y/i.test(answer) ? "handler" : undefined),
  },
  {
    setting: "jobs",
    text: "Else a jobs file, which names what its own handler can do (Enter: none)",
    asked: (before) => ofBareServer(before) && before.capability === undefined,
  },
  {
    setting: "dialect",
    text: "Dialect: spec, runpod, rp-local or a file (Enter: spec)",
    asked: ofServer,
  },
  {
    setting: "timeBudget",
    text: "Longest time for one check, such as 2m, or full (Enter: 2m)",
    asked: always,
  },
  { setting: "report", text: "Directory of the report (Enter: reports/latest)", asked: always },
];

const triesMax = 5;

/** Asks for the most important settings. Enter skips a setting; a wrong answer is explained and asked for again. */
export async function askedSettings(
  input: TerminalInput | undefined,
  io: Pick<Io, "write">,
): Promise<SettingValues> {
  const flags: { -readonly [Name in keyof Flags]: Flags[Name] } = {};
  if (input === undefined) return {};
  for (const question of questions) {
    if (question.asked(flags)) Object.assign(flags, await answerTo(question, input, io));
  }
  return checkLayer(flagLayer(flags)).values;
}

async function answerTo(
  { setting, text, means = (answer) => answer }: Question,
  input: TerminalInput,
  io: Pick<Io, "write">,
): Promise<Flags> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const answer = await input.ask(`${text}: `);
    const value = answer === "" ? undefined : means(answer);
    if (value === undefined) return {};
    const flags: Flags = { [setting]: value };
    const { problems } = checkLayer(flagLayer(flags));
    if (problems.length === 0) return flags;
    io.write(`${problems.map(oneLine).join("\n")}\n`);
  }
  return {};
}
