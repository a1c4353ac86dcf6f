/** What a change of state is called for those who follow the bundles. Pure. */
import type { Lifecycle } from "./lifecycle.ts";
import type { PackageFacts } from "./package-facts.ts";

export interface BundleEvent {
  readonly type:
    | "bundle.started"
    | "bundle.recovered"
    | "bundle.crashed"
    | "bundle.dead"
    | "bundle.stopped"
    | "bundle.refused"
    | "bundle.definitions_accepted"
    | "bundle.definition_changed"
    | "bundle.definitions_unreadable"
    | "bundle.definitions_unsaved"
    | "bundle.keeper";
  readonly name: string;
  readonly message: string;
  /** What the members of its workspace hear. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ChangedBundle {
  readonly name: string;
  readonly version: string | null;
  /** Null: it is no process of ours. */
  readonly facts: Pick<PackageFacts, "sandbox" | "digest"> | null;
}

/** Null when nobody needs to hear of it. */
export const describeChange = (bundle: ChangedBundle, before: Lifecycle, after: Lifecycle): BundleEvent | null => {
  if (before.state === after.state) return null;
  const { name, version, facts } = bundle;
  const sandbox = facts?.sandbox ?? null;
  const code = { version, digest: facts?.digest ?? null };
  const where = sandbox === null ? "" : sandbox === "off" ? " without a sandbox" : ` in the sandbox ${sandbox}`;
  const event = (type: BundleEvent["type"], message: string, more: object = {}): BundleEvent => ({
    type,
    name,
    message,
    data: { name, ...more },
  });
  switch (after.state) {
    case "starting":
      return null;
    case "running":
      return after.step === 0
        ? event("bundle.started", `${name} is running${where}`, code)
        : event("bundle.recovered", `${name} is running again${where}`);
    case "crashed":
      return event(
        "bundle.crashed",
        `${name} went down: ${after.reason}; restart ${after.step} follows in ${after.delayMs} ms`,
        { restartAttempt: after.step },
      );
    case "dead":
      return event("bundle.dead", `${name} is not started again: ${after.reason}`, { message: after.reason });
    case "stopped":
      return event("bundle.stopped", `${name} stopped: ${after.reason}`);
    default:
      return event("bundle.refused", after.reason ?? `${name} is refused`);
  }
};
