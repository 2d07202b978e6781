import type { BookedRun } from "../open-loop/booked-run.ts";
import { mixOperations } from "./mix.ts";
import type { Mix, MixOperation } from "./mix.ts";

/** The mix without what a target does not offer, or has no jobs for. */
export function offeredMix<Role extends string>(mix: Mix, run: BookedRun<Role>): Mix {
  const { translation } = run.first.client.options;
  const needed: Readonly<Partial<Record<MixOperation, boolean>>> = {
    cancel: run.works,
    retry: run.fails,
    stream: run.streams,
  };
  const offered = mixOperations.filter(
    (name) => needed[name] !== false && translation?.obstacle(name) === undefined,
  );
  const operations = Object.fromEntries(
    offered.flatMap((name) => {
      const perSecond = mix.operations[name];
      return perSecond === undefined ? [] : [[name, perSecond] as const];
    }),
  );
  return { ...mix, operations };
}
