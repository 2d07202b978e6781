/**
 * The page's script: the filter, deep links and the copy buttons. Plain JavaScript, because it runs
 * in the reader's browser as it stands. Everything it shows is already in the page as text.
 */
export const script = String.raw`
(() => {
  "use strict";
  const form = document.querySelector("form.toolbar");
  const output = form.querySelector("output");
  const entries = [...document.querySelectorAll("details.requirement")].map((element) => ({
    element,
    verdict: element.dataset.verdict,
    text: undefined,
  }));

  // Read when it is first needed: a long report opens at once.
  const textOf = (entry) => (entry.text ??= entry.element.textContent.toLowerCase());

  const filter = () => {
    const data = new FormData(form);
    const verdicts = new Set(data.getAll("verdict"));
    const words = String(data.get("text")).toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const entry of entries) {
      const matches =
        verdicts.has(entry.verdict) &&
        (words.length === 0 || words.every((word) => textOf(entry).includes(word)));
      entry.element.hidden = !matches;
      if (matches) shown += 1;
    }
    for (const area of document.querySelectorAll("section.area")) {
      area.hidden = area.querySelector("details.requirement:not([hidden])") === null;
    }
    output.textContent =
      shown === entries.length ? "" : shown + " of " + entries.length + " shown";
  };

  const openTarget = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id === "" ? null : document.getElementById(id);
    if (target === null) return;
    if (target.hidden || target.closest("[hidden]") !== null) {
      form.reset();
      filter();
    }
    if (target instanceof HTMLDetailsElement) target.open = true;
    target.scrollIntoView({ block: "start" });
  };

  const copy = async (button) => {
    const code = button.parentElement.querySelector("pre");
    let done = true;
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code);
      done = document.execCommand("copy");
    }
    button.textContent = done ? "Copied" : "Selected";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  };

  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", openTarget);
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement && event.target.type === "search";
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      form.elements.text.focus();
    }
  });
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
  filter();
  openTarget();
})();
`;
