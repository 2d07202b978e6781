import { button, element, make } from "./view.js";
import type { ConsoleView, RequestView } from "./view.js";

/** Shows the latest requests, and how many were broken off. The same rows stay where nothing has changed. */
export function showRequests(
  { requests, brokenOff }: Pick<ConsoleView, "requests" | "brokenOff">,
  open: (number: number) => Promise<void>,
): void {
  element("broken-off", HTMLElement).textContent =
    brokenOff === 0 ? "" : `${brokenOff.toLocaleString("en")} broken off by their clients.`;
  element("no-requests", HTMLElement).hidden = requests.length > 0;
  const rows = element("requests", HTMLElement);
  const text = JSON.stringify(requests);
  if (rows.dataset["shown"] === text) return;
  rows.dataset["shown"] = text;
  const focused = document.activeElement?.id;
  rows.replaceChildren(...requests.map((request) => requestRow(request, open)));
  if (focused !== undefined && focused !== "") document.getElementById(focused)?.focus();
}

function requestRow(request: RequestView, open: (number: number) => Promise<void>): HTMLElement {
  const { number, atMs, method, path, status, isBrokenOff, durationMs } = request;
  const row = document.createElement("tr");
  const name = make("td", "");
  name.append(button(`${method} ${path}`, `request-${number}`, () => open(number)));
  const isRefused = isBrokenOff || (status !== undefined && status >= 400);
  const shown = isBrokenOff ? "broken off" : String(status ?? "under way");
  row.append(
    make("td", new Date(atMs).toLocaleTimeString("en-GB")),
    name,
    make("td", shown, isRefused ? "refused" : ""),
    make("td", durationMs === undefined ? "" : `${durationMs} ms`),
  );
  return row;
}
