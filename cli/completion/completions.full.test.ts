import { execFile } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { toolNamed } from "../../test/tools.ts";
import { requirementIds } from "../../openapi/requirements.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { openTerminal, tmux } from "../../test/cli/terminal.ts";
import { shells } from "./completions.ts";
import { completionScripts } from "./scripts.ts";
import { main } from "../../test/project.ts";

const auth = requirementIds.filter((id) => id.startsWith("AUTH-"));

/** Makes a directory with the completion scripts and a `queueproof` for PATH. */
function shellDirectory(): string {
  const directory = temporaryDirectory();
  const program = join(directory, "queueproof");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(program, 0o755);
  for (const shell of shells) writeFileSync(join(directory, shell), completionScripts[shell]);
  return directory;
}

const run = promisify(execFile);
const install = "Install it with the system's package manager.";

const bash = toolNamed("bash", install);
test.skipIf(bash.missing !== "")(`bash offers what the program says ${bash.missing}`, async () => {
  const directory = shellDirectory();
  const script = `PATH="${directory}:$PATH"; . ./bash
    COMP_WORDS=(queueproof contract --only AUTH-0); COMP_CWORD=3
    _queueproof; echo "\${COMPREPLY[*]}"; complete -p queueproof`;
  const { stdout } = await run(bash.path, ["-c", script], { cwd: directory });
  expect(stdout).toMatch(/\ncomplete .*-F _queueproof queueproof\n$/);
  expect(stdout.split("\n")[0]).toBe(auth.join(" "));
});

const fish = toolNamed("fish", install);
test.skipIf(fish.missing !== "")(`fish offers what the program says ${fish.missing}`, async () => {
  const directory = shellDirectory();
  const script = `set PATH ${directory} $PATH; source ./fish; complete -C "queueproof contract --only AUTH-0"`;
  const { stdout } = await run(fish.path, ["--no-config", "-c", script], { cwd: directory });
  expect(stdout).toBe(`${auth.join("\n")}\n`);
});

const zsh = toolNamed("zsh", install);
const missing = `${zsh.missing} ${tmux.missing}`.trim();
test.skipIf(missing !== "")(`zsh completes at a press of the key ${missing}`, async () => {
  const directory = shellDirectory();
  const terminal = await openTerminal(
    `PATH="${directory}:$PATH" PS1="ready> " '${zsh.path}' -f -i`,
    { columns: 90, rows: 20, workingDirectory: directory },
  );
  await terminal.press("autoload -U compinit && compinit -u -D && . ./zsh && echo loaded", "Enter");
  await terminal.shows(/^loaded$/m);
  await terminal.press("queueproof explain ENDP-", "Tab", "Tab");
  await terminal.shows(/ENDP-01 +ENDP-02/);
  await terminal.press("C-u");
  await terminal.press("queueproof compl", "Tab");
  expect(await terminal.shows(/queueproof completion/)).toContain("loaded");
});
