import {
  element,
  isView,
  jobRow,
  showFigures,
  type EndpointView,
  type ConsoleView,
} from "./view.js";
import { showRequests } from "./requests.js";

const REFRESH_EVERY_MS = 500;

const endpointSelect = element("endpoint", HTMLSelectElement);
const notice = element("notice", HTMLElement);
const body = element("body", HTMLTextAreaElement);
const count = element("count", HTMLInputElement);
const seconds = element("seconds", HTMLInputElement);
const details = element("details", HTMLDialogElement);
const filter = element("filter", HTMLInputElement);

/** The endpoint that somebody has chosen, or that the server has chosen first, and the one that is shown. */
let chosen: string | undefined;
let shown: string | undefined;
/** How many states were asked for, and the last one whose answer was shown or no longer counts. */
let asked = 0;
let settled = 0;

/** Calls the server behind the page; throws an Error with the server's own words where it refuses. */
async function call(method: "GET" | "POST", path: string, payload?: object): Promise<unknown> {
  const response = await fetch(`/__console${path}`, {
    method,
    ...(payload !== undefined && { body: JSON.stringify(payload) }),
  });
  const answer: unknown = await response.json();
  if (response.ok) return answer;
  const isTold = typeof answer === "object" && answer !== null && "error" in answer;
  throw new Error(isTold ? String(answer.error) : `the server answered ${response.status}`);
}

const endpointPath = (rest: string): string =>
  `/endpoints/${encodeURIComponent(chosen ?? "")}/${rest}`;

/** Runs an action that somebody asked for, shows how it went, and refreshes the page. */
async function act(done: string, action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
    tell(done, false);
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error), true);
  }
  await refresh();
}

function tell(text: string, isBad: boolean): void {
  notice.textContent = text;
  notice.classList.toggle("bad", isBad);
}

async function refresh(): Promise<void> {
  const asking = new URLSearchParams(chosen === undefined ? {} : { endpoint: chosen });
  asking.set("filter", filter.value);
  const query = `?${asking.toString()}`;
  asked += 1;
  const number = asked;
  try {
    const view = await call("GET", `/state${query}`);
    if (isView(view) && number > settled) {
      settled = number;
      show(view);
    }
    if (document.body.classList.contains("gone")) tell("", false);
    document.body.classList.remove("gone");
  } catch {
    document.body.classList.add("gone");
    tell("The server does not answer. Is it still running?", true);
  }
}

function show(view: ConsoleView): void {
  const { endpoints, chosen: answered, jobs } = view;
  showEndpoints(endpoints, answered);
  showRequests(view, openRequest);
  const endpoint = endpoints.find(({ id }) => id === answered);
  if (endpoint !== undefined) showEndpoint(endpoint);
  element("empty", HTMLElement).hidden = jobs.length > 0;
  // Rows made anew under somebody's pointer or focus would lose their click, so the same rows stay.
  const rows = element("jobs", HTMLElement);
  const text = JSON.stringify(jobs);
  if (rows.dataset["shown"] === text) return;
  rows.dataset["shown"] = text;
  const focused = document.activeElement?.id;
  rows.replaceChildren(...jobs.map((job) => jobRow(job, { open, cancel, retry })));
  if (focused !== undefined && focused !== "") document.getElementById(focused)?.focus();
}

function showEndpoints(endpoints: readonly EndpointView[], answered: string | undefined): void {
  const ids = endpoints.map(({ id }) => id);
  const known = [...endpointSelect.options].map(({ value }) => value);
  if (ids.join() !== known.join() || shown !== answered) {
    const workers = endpoints.find(({ id }) => id === answered)?.counts.workersTotal;
    count.value = String(workers ?? 1);
  }
  if (ids.join() !== known.join()) {
    endpointSelect.replaceChildren(...ids.map((id) => new Option(id, id)));
  }
  chosen = answered;
  shown = answered;
  endpointSelect.value = answered ?? "";
}

function showEndpoint({ clock, counts }: EndpointView): void {
  const isVirtual = clock.mode === "virtual";
  const speed = clock.speed > 1 ? `, ${clock.speed} times as fast` : "";
  element("clock", HTMLElement).textContent = isVirtual
    ? `virtual clock at ${clock.nowMs.toLocaleString("en")} ms`
    : `real clock${speed}, ${new Date(clock.nowMs).toLocaleTimeString("en-GB")}`;
  for (const control of document.querySelectorAll<HTMLInputElement | HTMLButtonElement>(
    "#advance input, #advance button",
  )) {
    control.disabled = !isVirtual;
  }
  element("advance-help", HTMLElement).textContent = isVirtual
    ? "Everything due until then happens at once."
    : "This endpoint's clock is real: it moves by itself.";
  showFigures(counts);
}

const showDetails = (title: string, path: string): Promise<void> =>
  act("", async () => {
    const found = await call("GET", path);
    element("details-title", HTMLElement).textContent = title;
    element("details-text", HTMLElement).textContent = JSON.stringify(found, undefined, 2);
    details.showModal();
  });
const open = (id: string): Promise<void> =>
  showDetails(id, endpointPath(`jobs/${encodeURIComponent(id)}`));
const openRequest = (number: number): Promise<void> =>
  showDetails(`Request ${number}`, `/requests/${number}`);
const cancel = (id: string): Promise<void> =>
  act("Cancelled.", () => call("POST", endpointPath(`jobs/${encodeURIComponent(id)}/cancel`)));
const retry = (id: string): Promise<void> =>
  act("Back in the queue.", () =>
    call("POST", endpointPath(`jobs/${encodeURIComponent(id)}/retry`)),
  );

function onSubmit(form: string, action: () => Promise<void>): void {
  element(form, HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    void action();
  });
}

onSubmit("submit", () =>
  act("Submitted.", () => {
    const submission: unknown = JSON.parse(body.value);
    if (typeof submission !== "object" || submission === null) {
      throw new Error("the body must be a JSON object");
    }
    return call("POST", endpointPath("run"), submission);
  }),
);
onSubmit("advance", () =>
  act(`Moved by ${seconds.value} s.`, () =>
    call("POST", endpointPath("advance"), { ms: Math.round(seconds.valueAsNumber * 1_000) }),
  ),
);
onSubmit("workers", () =>
  act(`${count.value} workers.`, () =>
    call("POST", endpointPath("workers"), { count: count.valueAsNumber }),
  ),
);
onSubmit("purge", () => act("The queue is empty.", () => call("POST", endpointPath("purge"))));
endpointSelect.addEventListener("change", () => {
  chosen = endpointSelect.value;
  // What was asked before tells of the endpoint that was chosen before.
  settled = asked;
  void refresh();
});

filter.addEventListener("input", () => void refresh());

await refresh();
setInterval(() => {
  if (!document.hidden) void refresh();
}, REFRESH_EVERY_MS);
