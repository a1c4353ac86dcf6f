/**
 * The policies of all workspaces, compiled when they are first needed and again when a file was changed. Nothing of it is
 * read from ambient state: what is in force is what was handed in.
 */
import type { Capability, CapabilityOf } from "../../kernel/capability.ts";
import type { CapabilityRules } from "../../kernel/capability-rules.ts";
import type { PolicyDiagnostic, PolicyReport } from "../../kernel/policy-report.ts";
import type { RootsOf } from "../../kernel/roots.ts";
import { compilePolicy, type Policy } from "./compile-policy.ts";
import type { PolicyConfig } from "./overlays.ts";

export interface PolicyBookOptions {
  readonly host: PolicyConfig;
  /** Of a workspace's own file as it is now, the same object while that does not change; null: it has none. */
  readonly ofWorkspace?: (workspace: string) => PolicyConfig | null;
  /** Hears when what is in force in a workspace with a file of its own is not what was, the moment that it binds. */
  readonly changed?: (change: PolicyChange) => void;
  /** The version that was last known to be in force in a workspace, before this run; null: none was. */
  readonly last?: (workspace: string) => string | null;
  /** Where calls may work. Default: no test of a rule can tell where a path lies. */
  readonly rootsOf?: RootsOf;
}

/** Of versions, in a workspace. */
export interface PolicyChange {
  readonly workspace: string;
  /** Null: nothing is known of it. */
  readonly before: string | null;
  readonly after: string;
}

export interface PolicyBook extends CapabilityRules {
  of(workspace: string): Policy;
  /** The version of the host's own, which is in force wherever there is no other. */
  hostVersion(): string;
  /** Digests of the host's policy, for `dev.bailiwick.policy_changed`; equal: nothing changed. */
  replace(host: PolicyConfig): { readonly before: string; readonly after: string };
  /** `tools`: the flat names that there are; absent: overlays are not compared with them. */
  report(workspace: string, tools?: Iterable<string>): PolicyReport;
}

export const createPolicyBook = (options: PolicyBookOptions): PolicyBook => {
  const { ofWorkspace = () => null, changed = () => {}, last = () => null, rootsOf = null } = options;
  let host = options.host;
  let generation = 0;
  const compile = (workspace: PolicyConfig | null): Policy =>
    compilePolicy({ host, workspace, generation: ++generation, rootsOf });
  let hostOnly = compile(null);
  let bySource = new WeakMap<PolicyConfig, Policy>();
  const versions = new Map<string, string>();

  const of = (workspace: string): Policy => {
    const source = ofWorkspace(workspace);
    if (source === null) return hostOnly;
    const known = bySource.get(source);
    if (known) return known;
    const policy = compile(source);
    bySource.set(source, policy);
    const before = versions.get(workspace) ?? last(workspace);
    versions.set(workspace, policy.version);
    if (before !== policy.version) changed({ workspace, before, after: policy.version });
    return policy;
  };

  const capabilityOf: CapabilityOf = (workspace, { provider, tool, flatName }): Capability =>
    of(workspace).capabilityOf(provider, tool, flatName);

  return {
    of,
    hostVersion: () => hostOnly.version,
    capabilityOf,
    generation: (workspace) => of(workspace).generation,
    isOverlaid: (workspace, flatName) => of(workspace).overlays.byTool.has(flatName),
    flatNameOf: (workspace, id) => of(workspace).overlays.flatNames.get(id) ?? null,
    actorClass: (workspace, principal) => of(workspace).overlays.actorClass(principal),
    replace(next) {
      const before = hostOnly.version;
      host = next;
      hostOnly = compile(null);
      bySource = new WeakMap();
      return { before, after: hostOnly.version };
    },
    report(workspace, tools) {
      const policy = of(workspace);
      const rules = policy.rules.map(({ id, effect, source, written }) => ({ id, effect, source, rule: written }));
      const diagnostics = [...policy.diagnostics, ...(tools === undefined ? [] : strangers(policy, new Set(tools)))];
      return { mode: policy.mode, digest: policy.version, rules, diagnostics };
    },
  };
};

const strangers = ({ overlays }: Policy, tools: ReadonlySet<string>): PolicyDiagnostic[] =>
  [...overlays.byTool.keys()]
    .filter((tool) => !tools.has(tool))
    .map((tool) => ({
      severity: "warning",
      where: `policy.capabilities.${tool}`,
      message: `there is no tool ${tool} now; what is said here applies as soon as there is.`,
    }));
