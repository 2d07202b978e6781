import { toolVersion } from "../client/tool-version.ts";
import { surface } from "../reference/behaviour/surface.ts";
import { createReport } from "../reports/create-report.ts";
import type { Report } from "../reports/model.ts";
import { notSelectedReason } from "../reports/not-run.ts";
import { notSeenReason, TrafficJudge } from "../traffic/judge-traffic.ts";
import type { TrafficSettings } from "./settings/traffic.ts";

/** Judges traffic as the settings ask for it. */
export function judgeFor(settings: TrafficSettings): TrafficJudge {
  const { only } = settings;
  return new TrafficJudge({
    ...settings,
    only: new Set(only),
    routes: surface.routes,
  });
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
    allowed: settings.allowInconclusive,
    notRunReason: (id) =>
      settings.only.includes(id) ? notSeenReason(id, settings) : notSelectedReason,
  });
}
