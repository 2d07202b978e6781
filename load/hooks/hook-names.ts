/** The commands of the owner that bring a fault about or end it. */
export const hookNames = [
  "restart",
  "kill",
  "start",
  "pause",
  "resume",
  "kill-workers",
  "start-workers",
] as const;
export type HookName = (typeof hookNames)[number];
export type HookCommands = Readonly<Partial<Record<HookName, string>>>;
