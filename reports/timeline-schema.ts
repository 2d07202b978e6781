import { Type } from "typebox";

export const timelineKinds = ["submit", "read", "cancel", "retry", "purge", "webhook"] as const;

const span = { fromMs: Type.Number(), toMs: Type.Number() };
const count = Type.Integer({ minimum: 0 });

const timelineSchema = Type.Object({
  job: Type.String(),
  endpoint: Type.String(),
  clock: Type.Enum(["real", "virtual"]),
  states: Type.Array(Type.Object({ status: Type.String(), ...span }), {
    description: "Between whose ends a state was seen.",
  }),
  events: Type.Array(
    Type.Object({
      kind: Type.Enum([...timelineKinds]),
      text: Type.String(),
      times: Type.Optional(count),
      ...span,
    }),
  ),
  due: Type.Array(Type.Object({ afterMs: Type.Number(), ...span }), {
    description: "When something of the job had to be over.",
  }),
  eventsLeftOut: Type.Optional(count),
});

/** The timelines of one check of report.json, in milliseconds on the endpoint's clock. */
export const timelinesSchema = Type.Array(timelineSchema, {
  description: "What the check saw of the jobs that matter.",
});
