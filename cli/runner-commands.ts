/**
 * What runners of pipelines look for in what a program prints: GitHub's `##[…]` and Azure's `##vso[…]` anywhere in a line,
 * TeamCity's `##teamcity[…]`, and GitHub's `::…::` at the beginning of a line.
 */
const commands = /##(?=[a-z]*\[)|^[\t ]*::/gimu;

/** The text with everything broken up that a runner would take for a command: a target's answer must give it none. */
export function withoutRunnerCommands(text: string): string {
  return text.replaceAll(commands, (found) => `${found.slice(0, -1)} ${found.slice(-1)}`);
}
