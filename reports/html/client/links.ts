import type { Filter } from "./filter.ts";
import { one } from "./page.ts";

/** A link to a requirement opens it, whatever the filter shows; also after a reload. */
export function startLinks(filter: Filter): void {
  addEventListener("hashchange", () => openTarget(filter));
  document.addEventListener("click", (event) => {
    const { target } = event;
    const link = target instanceof Element ? target.closest("a") : null;
    // The address stays the same, so nothing else would tell.
    if (link !== null && link.hash !== "" && link.hash === location.hash) openTarget(filter);
  });
  openTarget(filter);
}

function openTarget(filter: Filter): void {
  const target = targetOf(location.hash);
  if (target === null) return;
  filter.reveal(target);
  for (let element: Element | null = target; element !== null; element = element.parentElement) {
    if (element instanceof HTMLDetailsElement) element.open = true;
  }
  // Chromium scrolls before the details are open.
  target.scrollIntoView({ block: "start" });
  if (target instanceof HTMLDetailsElement) {
    one("summary", HTMLElement, target)?.focus({ preventScroll: true });
  }
}

function targetOf(hash: string): HTMLElement | null {
  try {
    const id = decodeURIComponent(hash.slice(1));
    return id === "" ? null : document.getElementById(id);
  } catch {
    // Not every text after # is one that can be decoded.
    return null;
  }
}
