import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

interface ProcessRow {
  readonly group: number;
  readonly residentBytes: number;
}

const memoryEveryMs = 250;

/** What process groups held, in bytes: the most of several readings, and the last; undefined where no system tells. */
export interface HeldMemory {
  readonly peakBytes: number | undefined;
  readonly lastBytes: number | undefined;
}

/** Reads the memory of process groups, given by their leaders' ids, again and again until it is stopped. */
export function watchMemory(groups: () => readonly number[]): { stop: () => Promise<HeldMemory> } {
  let peakBytes: number | undefined;
  const look = async (): Promise<number | undefined> => {
    const each = await Promise.all(groups().map(groupMemoryBytes));
    const known = each.filter((bytes) => bytes !== undefined);
    if (known.length === 0) return undefined;
    const sum = known.reduce((all, bytes) => all + bytes, 0);
    peakBytes = Math.max(peakBytes ?? 0, sum);
    return sum;
  };
  void look();
  const timer = setInterval(() => void look(), memoryEveryMs);
  return {
    stop: async () => {
      clearInterval(timer);
      const lastBytes = await look();
      return { peakBytes, lastBytes };
    },
  };
}

/** Memory that the processes of a group hold, in bytes; undefined where this system tells of none. */
async function groupMemoryBytes(group: number): Promise<number | undefined> {
  const rows = process.platform === "linux" ? await rowsOfProc() : await rowsOfPs();
  const own = rows.filter((row) => row.group === group);
  return own.length === 0
    ? undefined
    : own.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
}

const pageBytes = 4096;

async function rowsOfProc(): Promise<readonly ProcessRow[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
      // A name may hold blanks and brackets; what follows its last bracket has the parent first, then the group.
      const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (fields === undefined) return [];
      return [{ group: Number(fields[2]), residentBytes: Number(fields[21]) * pageBytes }];
    }),
  );
  return rows.flat();
}

async function rowsOfPs(): Promise<readonly ProcessRow[]> {
  const command = promisify(execFile)("ps", ["-A", "-o", "pgid=,rss="]);
  const { stdout } = await command.catch(() => ({ stdout: "" }));
  return stdout.split("\n").flatMap((line) => {
    const [, group, kilobytes] = /^\s*(\d+)\s+(\d+)\s*$/.exec(line) ?? [];
    if (group === undefined) return [];
    return [{ group: Number(group), residentBytes: Number(kilobytes) * 1024 }];
  });
}
