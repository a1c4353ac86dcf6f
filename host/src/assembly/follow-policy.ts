/** Takes over a changed policy: recorded, listed anew, and what was approved under the old one is asked for again. */
import type { Config } from "@bailiwick/contract";
import type { CallPath } from "../call/create-call-path.ts";
import type { PolicyChange } from "../call/policy/policy-book.ts";
import { fixtureOverlays } from "../conformance/create-fixtures.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
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
  readonly events: HostEvents;
  readonly report: (error: unknown) => void;
}

export interface PolicyFollower {
  /** With the configuration of the host whenever one was taken over. It is in force in every workspace. */
  hostTaken(config: Config): void;
  /** Of a workspace with a file of its own. */
  changed(change: PolicyChange): void;
}

const REASON = "The policy changed.";

export const followPolicy = ({ path, events, report }: PolicyFollowing): PolicyFollower => {
  const record = (change: PolicyChange): void => {
    events.write("policy_changed", "policy", { ...change, by: "configuration" }).catch(report);
  };
  return {
    hostTaken(config) {
      const { before, after } = path.policies.replace(policyOf(config));
      if (before === after) return;
      path.refresh();
      record({ workspace: DEFAULT_WORKSPACE, before, after });
      path.cancelApprovals(() => REASON).catch(report);
    },
    changed(change) {
      path.refresh(change.workspace);
      record(change);
      path.cancelApprovals(({ workspace }) => (workspace === change.workspace ? REASON : null)).catch(report);
    },
  };
};
