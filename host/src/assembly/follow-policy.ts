/** Takes over a changed policy: recorded, listed anew, and what was approved under the old one is asked for again. */
import type { Config } from "@bailiwick/contract";
import type { CallPath } from "../call/create-call-path.ts";
import type { PolicyChange } from "../call/policy/policy-book.ts";
import { fixtureOverlays } from "../conformance/create-fixtures.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import type { InForce } from "./in-force.ts";
import type { HostEvents } from "./record-host-events.ts";

type Policy = Config["policy"];

/** The host's own, with what the conformance fixtures need under it. The same object for the same configuration. */
export const policyOf = ({ policy, chp }: Config): Policy => {
  if (!chp.fixtures) return policy;
  const known = withFixtures.get(policy);
  if (known) return known;
  const made = { ...policy, capabilities: { ...fixtureOverlays, ...policy.capabilities } };
  withFixtures.set(policy, made);
  return made;
};

const withFixtures = new WeakMap<Policy, Policy>();

export interface PolicyFollowing {
  readonly path: Pick<CallPath, "policies" | "refresh" | "cancelApprovals">;
  readonly events: Pick<HostEvents, "write" | "note">;
  readonly inForce: InForce;
  readonly report: (error: unknown) => void;
}

export interface PolicyFollower {
  /** At the start: what was changed while the host was stopped is a change like any other. */
  opened(): void;
  /** With the configuration of the host whenever one was taken over. It is in force in every workspace. */
  hostTaken(config: Config): void;
  /** Of a workspace with a file of its own. */
  changed(change: PolicyChange): void;
}

const REASON = "The policy changed.";

/** Under which the version of the host's policy is remembered, and that of a workspace with a file of its own. */
const HOST = "policy";
const nameOf = (workspace: string): string => `${PREFIX}${workspace}`;
const PREFIX = "policy:";

/** The version that was in force in such a workspace when the host last ran. */
export const lastPolicy =
  (inForce: InForce) =>
  (workspace: string): string | null =>
    inForce.last(nameOf(workspace));

export const followPolicy = ({ path, events, inForce, report }: PolicyFollowing): PolicyFollower => {
  let isOpening = false;
  const record = (change: PolicyChange, name: string): void => {
    const state = [inForce.write(name, change.after)];
    const payload = { ...change, by: "configuration", ...(isOpening && { while_stopped: true }) };
    events.write("policy_changed", "policy", payload, state).catch(report);
  };
  const hostChanged = (before: string, after: string): void => {
    record({ workspace: DEFAULT_WORKSPACE, before, after }, HOST);
    path.cancelApprovals(() => REASON).catch(report);
  };
  return {
    opened() {
      isOpening = true;
      const [before, after] = [inForce.last(HOST), path.policies.hostVersion()];
      if (before === null) events.note(inForce.write(HOST, after));
      else if (before !== after) hostChanged(before, after);
      // Compiling them tells of those that are not what they were.
      for (const name of inForce.names()) if (name.startsWith(PREFIX)) path.policies.of(name.slice(PREFIX.length));
      isOpening = false;
    },
    hostTaken(config) {
      const { before, after } = path.policies.replace(policyOf(config));
      if (before === after) return;
      path.refresh();
      hostChanged(before, after);
    },
    changed(change) {
      if (change.before === null) {
        events.note(inForce.write(nameOf(change.workspace), change.after));
        return;
      }
      path.refresh(change.workspace);
      record(change, nameOf(change.workspace));
      path.cancelApprovals(({ workspace }) => (workspace === change.workspace ? REASON : null)).catch(report);
    },
  };
};
