import type { Report } from "../model.ts";
import { workerColumns, workerRows, workerSentences } from "../worker.ts";
import { html, raw, type Markup } from "./markup.ts";
import { table } from "./table.ts";

/** Shows the figures of a worker: its tests, and the memory after each job as a curve. */
export function workerSection({ worker }: Report): Markup | undefined {
  if (worker === undefined) return undefined;
  const rows = workerRows(worker).map(
    ([name = "", ...cells]) =>
      html`<tr>
        <th scope="row">${name}</th>
        ${cells.map((cell) => html`<td>${cell}</td>`)}
      </tr>`,
  );
  return html`<section class="sheet" aria-labelledby="worker">
    <h2 id="worker">Worker</h2>
    ${workerSentences(worker).map((sentence) => html`<p>${sentence}</p>`)}
    ${table("wide", workerColumns, rows)} ${memoryCurve(worker.memoryBytes)}
  </section>`;
}

const [width, height] = [480, 60];

function memoryCurve(memoryBytes: readonly number[]): Markup | undefined {
  if (memoryBytes.length < 2) return undefined;
  const most = Math.max(...memoryBytes);
  const points = memoryBytes.map((bytes, at) => {
    const x = (width * at) / (memoryBytes.length - 1);
    return `${x.toFixed(1)},${(height - (height * bytes) / most).toFixed(1)}`;
  });
  const label = `Memory of the worker's processes after each of ${memoryBytes.length} jobs, from 0`;
  return html`<figure>
    <svg
      viewBox="0 0 ${width} ${height}"
      width="${width}"
      height="${height}"
      role="img"
      aria-label="${label}"
    >
      <polyline
        points="${raw(points.join(" "))}"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
      />
    </svg>
    <figcaption class="quiet">${label}.</figcaption>
  </figure>`;
}
