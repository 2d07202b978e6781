/** What the workers of an endpoint can be asked to do, each with an input (docs/test-my-server.md#jobs-of-your-own). */
export const jobKinds = ["quick", "slow", "failing", "known", "streaming"] as const;
export type JobKind = (typeof jobKinds)[number];

export function isJobKind(capability: string): capability is JobKind {
  return jobKinds.some((kind) => kind === capability);
}

/** What a target may offer beyond the API itself. */
export type Capability = (typeof capabilities)[number];
export const capabilities = [
  "handler",
  "crash",
  "webhook",
  "foreignKey",
  "workers",
  "scaling",
  "allowance",
  "endpoints",
  "clock",
  "hold",
  "openai",
  "requests",
  ...jobKinds,
  "ledger",
  "load",
] as const;

/** The capabilities that only the control protocol can offer. */
export const controlCapabilities = [
  "workers",
  "scaling",
  "allowance",
  "endpoints",
  "clock",
  "hold",
] as const satisfies readonly Capability[];

/** Whether only the control protocol can offer a capability. */
export function isOfControl(capability: string): boolean {
  return controlCapabilities.some((each) => each === capability);
}
