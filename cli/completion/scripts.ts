import type { shells } from "./completions.ts";

// Each script asks the program itself, so that it offers what this version knows. Where the program
// offers nothing, the shell offers files.

const bash = `# queueproof completion for bash: source <(queueproof completion bash)
_queueproof() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(queueproof __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -o default -F _queueproof queueproof
`;

const zsh = `#compdef queueproof
# queueproof completion for zsh: source <(queueproof completion zsh)
_queueproof() {
  local -a offered
  offered=("\${(@f)$(queueproof __complete "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  offered=(\${offered:#})
  if (( \${#offered} )); then
    compadd -a offered
  else
    _files
  fi
}
compdef _queueproof queueproof
`;

const fish = `# queueproof completion for fish: queueproof completion fish | source
function __queueproof_complete
    set -l words (commandline -opc) (commandline -ct)
    queueproof __complete $words[2..-1] 2> /dev/null
end
complete -c queueproof -a '(__queueproof_complete)'
`;

/** Shell scripts that complete queueproof's words. */
export const completionScripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash,
  zsh,
  fish,
};
