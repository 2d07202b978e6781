import { runSuite } from "./run-suite.ts";
import type { SuiteOrder, SuiteReply } from "./suite-job.ts";

/** A process that runs suites: its parent sends what to run, and it answers what came out. */
process.on("message", (order: SuiteOrder) => {
  void carryOut(order);
});
// Without its parent nobody reads what it finds.
process.once("disconnect", () => process.exit());

async function carryOut({ id, subject }: SuiteOrder): Promise<void> {
  const reply: SuiteReply = { id, run: await runSuite(subject) };
  process.send?.(reply);
}
