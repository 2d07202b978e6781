import { pageDataId, type PageData } from "../page-data.ts";

/** Reads the data that is embedded in the page. */
export function pageData(): PageData {
  const text = document.getElementById(pageDataId)?.textContent ?? "null";
  const data: unknown = JSON.parse(text);
  return isPageData(data) ? data : { timelines: [], series: [] };
}

/** The page's writer made the data, so only its presence is checked. */
function isPageData(value: unknown): value is PageData {
  return typeof value === "object" && value !== null && "timelines" in value && "series" in value;
}

/** All elements that match and are of the given kind. */
export function all<Kind extends Element>(
  selector: string,
  kind: new () => Kind,
  within: ParentNode = document,
): readonly Kind[] {
  return [...within.querySelectorAll(selector)].filter(
    (each): each is Kind => each instanceof kind,
  );
}

/** The first one of them. */
export function one<Kind extends Element>(
  selector: string,
  kind: new () => Kind,
  within: ParentNode = document,
): Kind | undefined {
  return all(selector, kind, within)[0];
}

/** The value of a colour of the style sheet, in the reader's light or dark scheme. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Calls `draw` once the element is about to be seen. */
export function whenSeen(element: Element, draw: () => void): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      draw();
    },
    { rootMargin: "400px" },
  );
  observer.observe(element);
  // A printed page also shows what nobody has scrolled to.
  addEventListener(
    "beforeprint",
    () => {
      observer.disconnect();
      draw();
    },
    { once: true },
  );
}

/** A button with a label for screen readers. */
export function button(text: string, label: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "small-button";
  made.textContent = text;
  made.title = label;
  if (text !== label) made.setAttribute("aria-label", label);
  made.addEventListener("click", act);
  return made;
}
