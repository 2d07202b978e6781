/** The state that the server sends (reference/console/view.ts). */
export interface ConsoleView {
  readonly endpoints: readonly EndpointView[];
  readonly chosen: string | undefined;
  readonly jobs: readonly JobView[];
  /** The latest requests that the filter leaves, the last one first. */
  readonly requests: readonly RequestView[];
  /** How many requests their clients broke off. */
  readonly brokenOff: number;
}

export interface EndpointView {
  readonly id: string;
  readonly clock: { readonly mode: string; readonly nowMs: number; readonly speed: number };
  readonly counts: Counts;
}

interface Counts {
  readonly inQueue: number;
  readonly inProgress: number;
  readonly completed: number;
  readonly failed: number;
  readonly retried: number;
  readonly workersBusy: number;
  readonly workersTotal: number;
}

interface JobView {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly error?: string;
  readonly input: string;
  readonly ageMs: number;
  readonly webhook: string;
}

export interface RequestView {
  readonly number: number;
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly status?: number;
  readonly isBrokenOff: boolean;
  readonly durationMs?: number;
}

interface JobActions {
  readonly open: (id: string) => Promise<void>;
  readonly cancel: (id: string) => Promise<void>;
  readonly retry: (id: string) => Promise<void>;
}

/** The server is of this very version, so its answer need only be told apart from an error. */
export function isView(value: unknown): value is ConsoleView {
  return typeof value === "object" && value !== null && "endpoints" in value && "jobs" in value;
}

/** Finds the element of this id; throws where there is none of that kind. */
export function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}

export function showFigures(counts: Counts): void {
  const figures = [
    ["In queue", counts.inQueue],
    ["In progress", counts.inProgress],
    ["Completed", counts.completed],
    ["Failed", counts.failed],
    ["Retried", counts.retried],
    ["Workers running", counts.workersBusy],
    ["Workers idle", counts.workersTotal - counts.workersBusy],
  ] as const;
  const boxes = figures.map(([name, figure]) => {
    const box = document.createElement("div");
    box.append(make("dt", name), make("dd", figure.toLocaleString("en")));
    return box;
  });
  element("figures", HTMLElement).replaceChildren(...boxes);
}

/** Makes one row of the table. Every text is set as text, so that nothing a job holds becomes markup. */
export function jobRow(job: JobView, { open, cancel, retry }: JobActions): HTMLElement {
  const row = document.createElement("tr");
  const name = make("td", "");
  name.append(button(job.id, `details-${job.id}`, () => open(job.id)));
  const actions = make("td", "");
  if (job.status === "IN_QUEUE" || job.status === "IN_PROGRESS") {
    actions.append(button("Cancel", `cancel-${job.id}`, () => cancel(job.id), `Cancel ${job.id}`));
  }
  if (job.status === "FAILED" || job.status === "TIMED_OUT") {
    actions.append(button("Retry", `retry-${job.id}`, () => retry(job.id), `Retry ${job.id}`));
  }
  const status = make("td", job.status, `status ${job.status}`);
  status.title = job.error ?? "";
  row.append(
    name,
    status,
    make("td", age(job.ageMs)),
    make("td", String(job.attempt)),
    make("td", job.webhook, job.webhook.split(" ")[0]),
    make("td", job.input, "input"),
    actions,
  );
  return row;
}

export function make(tag: string, text: string, className = ""): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

export function button(
  text: string,
  id: string,
  action: () => Promise<void>,
  label = text,
): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.id = id;
  made.textContent = text;
  made.setAttribute("aria-label", label);
  made.addEventListener("click", () => void action());
  return made;
}

function age(ms: number): string {
  if (ms < 60_000) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  return `${Math.floor(ms / 3_600_000)} h`;
}
