/** What a change of state is called for those who follow the bundles. Pure. */
import type { Lifecycle } from "./lifecycle.ts";

export interface BundleEvent {
  readonly type:
    | "bundle.started"
    | "bundle.recovered"
    | "bundle.crashed"
    | "bundle.dead"
    | "bundle.stopped"
    | "bundle.refused"
    | "bundle.definitions_unsaved"
    | "bundle.keeper";
  readonly name: string;
  readonly message: string;
}

/** Null when nobody needs to hear of it. */
export const describeChange = (name: string, before: Lifecycle, after: Lifecycle): BundleEvent | null => {
  if (before.state === after.state) return null;
  const event = (type: BundleEvent["type"], message: string): BundleEvent => ({ type, name, message });
  switch (after.state) {
    case "starting":
      return null;
    case "running":
      return after.step === 0
        ? event("bundle.started", `${name} is running`)
        : event("bundle.recovered", `${name} is running again`);
    case "crashed":
      return event(
        "bundle.crashed",
        `${name} went down: ${after.reason}; restart ${after.step} follows in ${after.delayMs} ms`,
      );
    case "dead":
      return event("bundle.dead", `${name} is not started again: ${after.reason}`);
    case "stopped":
      return event("bundle.stopped", `${name} stopped: ${after.reason}`);
    default:
      return event("bundle.refused", after.reason ?? `${name} is refused`);
  }
};
