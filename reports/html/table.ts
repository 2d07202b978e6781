import { html, type Markup, type MarkupPart } from "./markup.ts";

/** Shows rows under the names of their columns; `kind` is the class of the table. */
export function table(
  kind: "wide" | "wide readings" | "wide fits" | "mismatches",
  columns: readonly string[],
  rows: readonly Markup[],
): Markup {
  return html`<table class="${kind}">
    <thead>
      <tr>
        ${columns.map((column) => html`<th scope="col">${column}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** Shows facts with their names, side by side. */
export function factList(facts: readonly Markup[]): Markup {
  return html`<dl class="facts">${facts}</dl>`;
}

/** Shows ids of requirements, each as a link to its own. */
export function idLinks(ids: readonly string[]): Markup {
  return html`${ids.map((id) => html`<a class="id" href="#${id}">${id}</a> `)}`;
}

export function fact(name: string, value: MarkupPart): Markup {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}
