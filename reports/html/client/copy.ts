import { all, one } from "./page.ts";

const toldMs = 2000;

/** Shows the copy buttons, which are hidden because they need a script. */
export function startCopyButtons(): void {
  for (const button of all("button.copy", HTMLButtonElement)) {
    button.hidden = false;
    button.addEventListener("click", () => void copy(button));
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const code = one("pre", HTMLPreElement, button.parentElement ?? document);
  if (code === undefined) return;
  const label = button.textContent;
  button.textContent = (await isCopied(code)) ? "Copied" : "Selected: press Ctrl+C";
  setTimeout(() => (button.textContent = label), toldMs);
}

/** Copies the text. A page from disk may lack clipboard access: then the text is selected, to be copied by hand. */
async function isCopied(code: HTMLPreElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return false;
  }
}
