/** Whether a text, in whatever case, is what a glob describes, in which `*` stands for any characters. */
export function matchesGlob(text: string, glob: string): boolean {
  const parts = glob
    .split("*")
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "is").test(text);
}
