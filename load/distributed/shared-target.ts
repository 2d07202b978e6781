import { controlCapabilities } from "../../openapi/capabilities.ts";
import type { Capability } from "../../openapi/capabilities.ts";
import type { TargetAccess } from "../../harness/endpoint/endpoint-source.ts";

/** Capabilities by which one process would change the target while the others use it. */
const ofControl: ReadonlySet<Capability> = new Set(controlCapabilities);

/** What all runners of a test can rely on. */
export function sharedCapabilities(offered: readonly Capability[]): readonly Capability[] {
  return offered.filter((capability) => !ofControl.has(capability));
}

/** All runners of a test send to the same endpoint, as it is. */
export function sharedTarget({
  controlUrl: _control,
  jobs: _jobs,
  ...target
}: TargetAccess): TargetAccess {
  return { ...target, capabilities: sharedCapabilities(target.capabilities) };
}
