import type { ReportCheck } from "./model.ts";

/** Lists the earlier attempts of a check, and the requests that had to be sent again, one line each. */
export function attemptLines({
  attempts = [],
  dropped = [],
}: Pick<ReportCheck, "attempts" | "dropped">): readonly string[] {
  return [
    ...attempts.map(({ verdict, reason }, at) => `try ${at + 1} was ${verdict}: ${reason}`),
    ...dropped.map(({ request, error, times }) => {
      const often = times === 1 ? "once" : `${times} times`;
      return `${request} got no answer ${often}, and one when it was sent again: ${error}`;
    }),
  ];
}
