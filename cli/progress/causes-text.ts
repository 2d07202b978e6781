import { exchangeText } from "../../reports/causes.ts";
import type { Cause } from "../../reports/model.ts";
import { firstText } from "../../reports/words.ts";
import { cutLine } from "./one-line.ts";

const idsShownMax = 12;
const charactersMax = 240;

/** Formats a cause: its sentence, what it breaks and keeps from being decided, one exchange, and its dialect. */
export function causeText(
  { id, text, requirements, adapted, dialect, evidence }: Cause,
  broken: readonly string[],
): string {
  const kept = requirements.filter((each) => !broken.includes(each));
  const [shown] = evidence;
  return [
    `${short(text)} [${id}]`,
    ...(broken.length === 0 ? [] : [`  breaks ${idsText(broken)}`]),
    ...(kept.length === 0 ? [] : [`  not decided for it: ${idsText(kept)}`]),
    ...(shown === undefined ? [] : [`  ${short(exchangeText(shown))}`]),
    ...(adapted === undefined ? [] : [`  the run: ${short(adapted)}`]),
    ...(dialect === undefined ? [] : [`  dialect: ${short(JSON.stringify(dialect))}`]),
  ].join("\n");
}

function idsText(ids: readonly string[]): string {
  return firstText(ids, idsShownMax, " ");
}

function short(text: string): string {
  return cutLine(text, charactersMax);
}
