import { join, relative } from "node:path";

import { createReport } from "../api/run-contract.ts";
import { contractSuite } from "../api/vitest.ts";
import { startEmbeddedReference } from "../cli/embedded-reference.ts";
import { processIo } from "../cli/io.ts";
import { withJobsOfTests } from "../cli/job-tests.ts";
import { runnerSettings } from "../cli/runner-settings.ts";
import { contractSettings } from "../cli/settings/contract.ts";
import { namesNoTarget } from "../cli/settings/sources.ts";
import { writeReports } from "../reports/write.ts";

/** The contract suite against the target that the environment names, or the embedded reference. */
const io = processIo();
const reference = namesNoTarget({}, undefined, io);
const settings = contractSettings(reference ? { reference } : {}, undefined, io);
const { reportDirectory: directory, formats } = settings;
let stop = async (): Promise<void> => Promise.resolve();

contractSuite({
  only: settings.only,
  profile: settings.profiles,
  skip: settings.skip,
  allowInconclusive: settings.allowInconclusive,
  ...(formats.includes("json") && {
    reportPath: relative(process.cwd(), join(directory, "report.json")),
  }),
  target: async () => {
    if (settings.target !== undefined) {
      const telling = { signal: new AbortController().signal, write: io.write };
      const known = await withJobsOfTests(settings, settings.target, telling);
      return runnerSettings(known.settings, settings.target);
    }
    const started = await startEmbeddedReference();
    stop = started.stop;
    const keys = { endpointId: undefined, apiKey: undefined, foreignKey: undefined };
    return runnerSettings(settings, { ...started, ...keys });
  },
  onEnd: async (outcome) => {
    await stop();
    const report = createReport(outcome);
    const target =
      settings.target === undefined ? { ...report.target, embedded: true as const } : report.target;
    await writeReports({ ...report, target }, { directory, formats });
  },
});
