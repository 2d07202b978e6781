import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import { hasWaited } from "./encounters.ts";

/** Bugs where a webhook meets another feature, each of which works by itself. */
export const webhookEncounterFaults: readonly Fault[] = [
  {
    name: "webhook/four-attempts-after-a-drop",
    breaks: ["HOOK-04"],
    describe: "A call whose connection is dropped is made four times.",
    change: () => ({
      webhook: { attemptsMax: ({ failure }) => (failure === "dropped" ? 4 : 3) },
    }),
  },
  {
    name: "webhook/failure-deletes-the-job",
    breaks: ["HOOK-09"],
    describe: "A job is deleted when the last call of its webhook has failed.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "webhook-given-up" ? "DELETED" : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "webhook/failure-prolongs-the-result",
    breaks: ["HOOK-09"],
    describe: "The first read after a webhook was given up starts the retention anew.",
    change: ({ lifecycle }) => {
      const givenUp = new WeakSet<Job>();
      return {
        lifecycle: {
          next: (job, event) => {
            if (event === "webhook-given-up") givenUp.add(job);
            return lifecycle.next(job, event);
          },
        },
        retention: { isProlongedBy: (_operation, job) => givenUp.delete(job) },
      };
    },
  },
  {
    name: "webhook/silent-after-the-queue",
    breaks: ["HOOK-01"],
    describe: "A job that waited in the queue calls no webhook.",
    change: ({ webhook }) => ({
      webhook: { isCalledFor: (job) => !hasWaited(job) && webhook.isCalledFor(job) },
    }),
  },
  {
    name: "webhook/silent-after-a-stream",
    breaks: ["HOOK-01"],
    describe: "A job that yielded chunks calls no webhook.",
    change: ({ webhook }) => ({
      webhook: { isCalledFor: (job) => job.chunks.length === 0 && webhook.isCalledFor(job) },
    }),
  },
  {
    name: "webhook/found-inside-the-input",
    breaks: ["HOOK-08"],
    describe: "Where the field is missing a member of the input of the same name is called.",
    change: ({ webhook }) => ({
      webhook: {
        url: (job, previousUrl) => {
          const inside = job.submission.input["webhook"];
          return webhook.url(job, previousUrl) ?? (typeof inside === "string" ? inside : undefined);
        },
      },
    }),
  },
];
