import type { Fault } from "../fault.ts";
import type { WebhookBehaviour } from "../behaviour/webhook.ts";

/** A fault of the webhook rules alone. */
function fault(
  name: string,
  breaks: Fault["breaks"],
  describe: string,
  change: (webhook: WebhookBehaviour) => Partial<WebhookBehaviour>,
): Fault {
  return {
    name: `webhook/${name}`,
    breaks,
    describe,
    change: ({ webhook }) => ({ webhook: change(webhook) }),
  };
}
