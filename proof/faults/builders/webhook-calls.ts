import type { JobCondition } from "./conditions.ts";
import { all } from "./compose.ts";
import { except, instead, type Change } from "./member.ts";

/** Makes a call that was answered with 200 on its first attempt once more, `ms` later, where the condition holds. */
export function repeatedAfter(ms: number, condition: JobCondition): Change {
  return all(
    except("webhook.acknowledges", ({ attempt, job }) => attempt === 1 && condition(job)),
    instead("webhook.spacingMs", ms, ({ status, job }) => status === 200 && condition(job)),
  );
}
