import { toolVersion } from "../openapi/installation.ts";
import { surface } from "../reference/behaviour/surface.ts";
import { createReport } from "../reports/create-report.ts";
import type { Report } from "../reports/model.ts";
import { notSelectedReason } from "../reports/not-run.ts";
import { countText } from "../reports/words.ts";
import { notSeenReason, TrafficJudge } from "../traffic/judge-traffic.ts";
import type { LiveFinding } from "../traffic/recording/live-page.ts";
import type { TrafficSettings } from "./settings/traffic.ts";

/** Judges traffic as the settings ask for it. */
export function judgeFor(
  settings: TrafficSettings,
  onFinding?: (finding: LiveFinding) => void,
): TrafficJudge {
  return new TrafficJudge({ ...settings, routes: surface.routes, onFinding });
}

interface ReportedTraffic {
  readonly command: "proxy" | "traffic";
  readonly judge: TrafficJudge;
  /** Where the traffic was seen: the server's address, or the files. */
  readonly where: string;
  readonly startedAt: Date;
}

/** Makes the report of what was seen. */
export function trafficReport(
  settings: TrafficSettings,
  { command, judge, where, startedAt }: ReportedTraffic,
): Report {
  const results = judge.end();
  return createReport({
    toolVersion: toolVersion(),
    nodeVersion: process.version,
    command,
    judged: settings.judged,
    seed: 0,
    startedAt,
    durationMs: Date.now() - startedAt.getTime(),
    target: { baseUrl: where, endpointId: "", capabilities: [] },
    results,
    facts: judge.facts,
    allowed: settings.allowInconclusive,
    notRunReason: (id) => (settings.only.has(id) ? notSeenReason(id, settings) : notSelectedReason),
  });
}

/** How many exchanges were seen, and whether they are of the API at all. */
export function seenText({ counts }: TrafficJudge, how: "passed" | "read"): string {
  const { exchanges, ofTheApi } = counts;
  const all = `${countText(exchanges, "exchange")} ${how}`;
  if (exchanges === 0 || ofTheApi === exchanges) return `${all}.`;
  const others = `${all}, ${ofTheApi} of them of the job API`;
  return ofTheApi > 0
    ? `${others}.`
    : `${others}: its paths are /v2/<endpoint_id>/run, /v2/<endpoint_id>/status/<job_id> and so on.`;
}
