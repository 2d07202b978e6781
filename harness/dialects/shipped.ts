import { rpLocal } from "./rp-local.ts";
import { runpod } from "./runpod.ts";
import type { Dialect } from "./schema.ts";
import { spec } from "./spec.ts";

export const dialects: readonly Dialect[] = [spec, runpod, rpLocal];
