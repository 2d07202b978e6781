import type { Filter } from "./filter.ts";
import { one } from "./page.ts";

/** Makes a link to a requirement open it even where the filter hides it; also after a reload. */
export function startLinks(filter: Filter): void {
  addEventListener("hashchange", () => openTarget(filter));
  document.addEventListener("click", (event) => {
    const { target } = event;
    const link = target instanceof Element ? target.closest("a") : null;
    // The address stays the same, so there is no hashchange event.
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
  // Scrolls again, as Chromium scrolls before the details are open.
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
    // The text after # may not be decodable.
    return null;
  }
}
