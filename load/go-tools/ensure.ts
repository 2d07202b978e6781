import { findTool } from "./find.ts";
import type { FoundTool, GoTool, MissingTool, ToolEnvironment } from "./find.ts";
import { installTool } from "./install.ts";

export interface ToolWanted {
  readonly environment: ToolEnvironment;
  /** Called when it is built, and with each output of Go. */
  readonly onBuilding?: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds a tool, or else builds it once into the user's cache, if Go is there, and says so. A variable whose
 * file cannot be used is a mistake of the user, and no reason to build another.
 */
export async function ensureTool(
  tool: GoTool,
  { environment, onBuilding, signal }: ToolWanted,
): Promise<FoundTool | MissingTool> {
  const found = await findTool(tool, environment);
  const isNamed = (environment[tool.variable] ?? "") !== "";
  if (!("missing" in found) || isNamed || signal?.aborted === true) return found;
  try {
    await installTool(tool, {
      environment,
      onStart: () =>
        onBuilding?.(`Building ${tool.name} with Go, once; this takes a minute or two.\n`),
      onOutput: onBuilding,
      signal,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { missing: `${found.missing}; ${why}` };
  }
  return findTool(tool, environment);
}
