import type { Static } from "typebox";

import type { Job } from "../job.ts";
import type { Delivery } from "../webhooks.ts";
import type { deliveryRow, jobRow } from "./rows.ts";

/** The longest text of a row whose values are held in memory, in characters; those of a longer one stay in the file. */
const heldCharactersMax = 65_536;

/** Leaves the large values of a job that was read from the file there: each is read again when it is asked for. */
export function leaveJobInFile(
  job: Job,
  { submission, facts, result }: Static<typeof jobRow>,
  again: () => Job,
): void {
  if (isLarge(submission)) readLater(job.submission, "input", () => again().submission.input);
  if (isLarge(facts)) readLater(job, "error", () => again().error);
  if (!isLarge(result)) return;
  readLater(job, "output", () => again().output);
  readLater(job, "chunks", () => again().chunks);
}

/** Leaves a large record that a receiver of webhooks is still to get in the file. */
export function leaveDeliveryInFile(
  delivery: Delivery,
  { facts }: Static<typeof deliveryRow>,
  again: () => Delivery,
): void {
  if (isLarge(facts)) readLater(delivery, "record", () => again().record);
}

function isLarge(text: string | null): boolean {
  return text !== null && text.length > heldCharactersMax;
}

/** Has a member read whenever it is asked for, until another value is put there. It is not among those of a copy. */
function readLater<Of extends object, Name extends keyof Of>(
  object: Of,
  name: Name,
  readValue: () => Of[Name],
): void {
  let held: WeakRef<{ readonly value: Of[Name] }> | undefined;
  Object.defineProperty(object, name, {
    configurable: true,
    enumerable: false,
    get: () => {
      // Whoever asks twice in a row gets what is still there.
      const found = held?.deref() ?? { value: readValue() };
      if (held?.deref() === undefined) held = new WeakRef(found);
      return found.value;
    },
    set: (value: Of[Name]) => {
      Object.defineProperty(object, name, {
        configurable: true,
        enumerable: true,
        writable: true,
        value,
      });
    },
  });
}
