/** Sends a signal to all that is left of a process group. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}
