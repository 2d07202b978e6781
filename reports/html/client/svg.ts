const namespace = "http://www.w3.org/2000/svg";

type Attributes = Readonly<Record<string, string | number>>;

/** Makes an SVG element. Texts are set as text, so nothing in them can be markup. */
export function svg(
  tag: string,
  attributes: Attributes = {},
  ...children: readonly (SVGElement | string)[]
): SVGElement {
  const element = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
