/**
 * The schemas that get a validator, by document. The generator compiles these and no others, so that loading the
 * validators costs nothing for schemas that no body is read with.
 */
export const jobSchemaNames = [
  "RunAnswer",
  "RunsyncAnswer",
  "StatusAnswer",
  "StreamAnswer",
  "CancelAnswer",
  "RetryAnswer",
  "PurgeAnswer",
  "HealthAnswer",
  "OpenAiAnswer",
  "RequestsAnswer",
  "JobSubmission",
  "WebhookBody",
] as const;

export const controlSchemaNames = [
  "ControlInfo",
  "ControlEndpointRequest",
  "ControlEndpoint",
  "ControlClock",
  "ControlAdvanceRequest",
  "ControlAdvanced",
  "ControlWorkers",
  "ControlHold",
  "ControlError",
] as const;

export type JobSchemaName = (typeof jobSchemaNames)[number];
export type ControlSchemaName = (typeof controlSchemaNames)[number];
