import { all, one } from "./page.ts";

export interface Filter {
  /** Resets the filter where it hides `element`. */
  reveal: (element: Element) => void;
}

const prefix = "#show:";

interface Entry {
  readonly element: HTMLElement;
  readonly cell: Element | undefined;
  text?: string;
}

/** Starts the filter by verdict, level, area and text. Its state is kept in the page's address, so it can be shared. */
export function startFilter(): Filter {
  const form = one("form.toolbar", HTMLFormElement);
  if (form === undefined) return { reveal: () => undefined };
  const cells = new Map(all(".matrix a", HTMLAnchorElement).map((cell) => [cell.hash, cell]));
  const entries = all("details.requirement", HTMLDetailsElement).map((element): Entry => ({
    element,
    cell: cells.get(`#${element.id}`),
  }));
  const show = (): void => apply(form, entries);
  form.hidden = false;
  form.addEventListener("input", () => {
    show();
    remember(form);
  });
  form.addEventListener("reset", () =>
    setTimeout(() => {
      show();
      remember(form);
    }),
  );
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || isTyping(event) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    one('input[type="search"]', HTMLInputElement, form)?.focus();
  });
  addEventListener("hashchange", () => {
    if (recall(form)) show();
  });
  recall(form);
  show();
  return {
    reveal: (element) => {
      if (element.closest("[hidden]") === null) return;
      form.reset();
      show();
    },
  };
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLInputElement && target.type === "search";
}

function apply(form: HTMLFormElement, entries: readonly Entry[]): void {
  const matches = matcherOf(form);
  const shown = entries.filter((entry) => {
    const isShown = matches(entry);
    entry.element.hidden = !isShown;
    entry.cell?.classList.toggle("dimmed", !isShown);
    return isShown;
  });
  for (const section of all("section.area", HTMLElement)) {
    section.hidden = section.querySelector("details.requirement:not([hidden])") === null;
  }
  const isWhole = shown.length === entries.length;
  const output = one("output", HTMLOutputElement, form);
  const told = isWhole ? "" : `${String(shown.length)} of ${String(entries.length)} shown`;
  if (output !== undefined) output.textContent = told;
  const reset = one('button[type="reset"]', HTMLButtonElement, form);
  if (reset !== undefined) reset.hidden = isWhole;
}

function matcherOf(form: HTMLFormElement): (entry: Entry) => boolean {
  const data = new FormData(form);
  const verdicts = new Set(data.getAll("verdict"));
  const levels = new Set(data.getAll("level"));
  const area = textIn(data, "area");
  const words = textIn(data, "text")
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  return (entry) => {
    const { verdict = "", level = "", area: own } = entry.element.dataset;
    const isSelected = verdicts.has(verdict) && levels.has(level);
    const isOfArea = area === "" || area === own;
    return isSelected && isOfArea && words.every((word) => textOf(entry).includes(word));
  };
}

/** The text is read only when first needed, so that a long report opens fast. */
function textOf(entry: Entry): string {
  entry.text ??= entry.element.textContent.toLowerCase();
  return entry.text;
}

function textIn(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === "string" ? value : "";
}

/** Puts the settings that differ from the defaults into the address. */
function remember(form: HTMLFormElement): void {
  const state = new URLSearchParams();
  for (const input of all("input[type=checkbox]", HTMLInputElement, form)) {
    if (!input.checked) state.append(`no-${input.name}`, input.value);
  }
  const data = new FormData(form);
  for (const name of ["area", "text"]) {
    if (textIn(data, name) !== "") state.set(name, textIn(data, name));
  }
  const hash = state.size === 0 ? "" : prefix + state.toString();
  history.replaceState(null, "", hash === "" ? location.pathname + location.search : hash);
}

/** Sets the form from the address; returns false where the address holds no filter. */
function recall(form: HTMLFormElement): boolean {
  if (!location.hash.startsWith(prefix)) return false;
  const state = new URLSearchParams(location.hash.slice(prefix.length));
  for (const input of all("input[type=checkbox]", HTMLInputElement, form)) {
    input.checked = !state.getAll(`no-${input.name}`).includes(input.value);
  }
  const area = one("select", HTMLSelectElement, form);
  if (area !== undefined) area.value = state.get("area") ?? "";
  const text = one("input[type=search]", HTMLInputElement, form);
  if (text !== undefined) text.value = state.get("text") ?? "";
  return true;
}
