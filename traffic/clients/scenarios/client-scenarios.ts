import type { ClientScenario } from "../scenario.ts";
import { ofCancelAndRetry } from "./cancel-and-retry.ts";
import { done } from "./jobs-of-scenarios.ts";
import { ofLostAnswers } from "./lost-answers.ts";
import { ofRefusals } from "./refusals.ts";
import { ofResults } from "./results.ts";
import { ofRunsync } from "./runsync.ts";
import { ofStreams } from "./streams.ts";

/** What clients are put through, in the order of the report. The first of each task shows that it works at all. */
export const clientScenarios: readonly ClientScenario[] = [
  ...ofResults,
  ...ofRefusals,
  ...ofLostAnswers,
  ...ofRunsync,
  ...ofStreams,
  ...ofCancelAndRetry,
].map((scenario) => Object.assign({}, { output: done }, scenario));
