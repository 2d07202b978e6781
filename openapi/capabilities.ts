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
  "load",
] as const;

/** Those that the control protocol alone can offer. */
export const controlCapabilities = [
  "workers",
  "scaling",
  "allowance",
  "endpoints",
  "clock",
  "hold",
] as const satisfies readonly Capability[];
