/**
 * Gates 2 to 6, twice: for calls that begin, and for calls that are under way and asked about again, which have been counted
 * and must not meet their own count.
 */
import type { HostState } from "../kernel/evidence.ts";
import type { ListedTool } from "../kernel/provider.ts";
import type { UriOwners } from "../kernel/uri-owners.ts";
import { DEFAULT_WORKSPACE, type IsMember } from "../kernel/workspace.ts";
import type { Gates } from "./create-recheck.ts";
import { createEnvironment, missingCapabilities, requiredCapabilities } from "./environment/environment.ts";
import { createIdentify, createIdentity, type Identifier, type IdentifyOptions } from "./identity/identify.ts";
import { schemaDefect } from "./input/schema-defect.ts";
import { lifecycle } from "./lifecycle/lifecycle.ts";
import { createListedLifecycle } from "./lifecycle/listed-lifecycle.ts";
import { createMandates, type MandatesOptions } from "./policy/mandate/mandates.ts";
import { createPolicy, type PolicyOptions } from "./policy/policy.ts";
import { createPolicyBook, type PolicyBook, type PolicyBookOptions } from "./policy/policy-book.ts";
import { WindowCounts } from "./policy/window-counts.ts";
import { createSurface } from "./surface/surface.ts";
import { createWorkspaceSurfaces, type WorkspaceSurfaces } from "./surface/workspace-surfaces.ts";

export interface GatesOptions extends Omit<IdentifyOptions, "isMember"> {
  readonly maxNameLength: number;
  readonly isMember: IsMember;
  /** Whose URIs are whose in a workspace. */
  readonly ownersOf: (workspace: string) => UriOwners;
  readonly policy: PolicyBookOptions;
  readonly mandates: Pick<MandatesOptions, "mandates" | "mandatePrincipals" | "delegates" | "isRevoked">;
  readonly state: HostState;
}

export interface AllGates {
  readonly identify: Identifier;
  readonly book: PolicyBook;
  readonly surfaces: WorkspaceSurfaces;
  /** What policy is decided with, for those who explain it. */
  readonly policyParts: PolicyOptions;
  readonly requirementsOf: (tool: ListedTool) => { required: readonly string[]; missing: readonly string[] };
  readonly gates: Gates;
  readonly again: Gates;
}

/** The host declares no environment capability yet, so a tool that requires one is listed and refused. */
const declared: ReadonlySet<string> = new Set();
const NOTHING_COUNTED: Pick<HostState, "entries"> = { entries: () => [] };

export const createGates = (options: GatesOptions): AllGates => {
  const { maxNameLength, ownersOf, state } = options;
  const identify = createIdentify(options);
  const book = createPolicyBook(options.policy);
  const missing = (tool: ListedTool): readonly string[] | null => {
    const required = requiredCapabilities(tool.value);
    return required && missingCapabilities(required, declared);
  };
  const surfaces = createWorkspaceSurfaces({
    ...book,
    maxNameLength,
    ownersOf,
    lifecycleOf: createListedLifecycle({ missing, schemaDefect: (tool) => schemaDefect(tool.value["inputSchema"]) }),
  });
  const partsWith = (counted: Pick<HostState, "entries">): PolicyOptions => ({
    book,
    counts: new WindowCounts(counted.entries("limit")),
    mandates: createMandates({
      ...options.mandates,
      state: counted,
      policyVersion: () => book.of(DEFAULT_WORKSPACE).version,
    }),
    permissionsBehind: ({ principal }) => identify.factsBehind(principal)?.permissions ?? [],
  });
  const policyParts = partsWith(state);
  const gates: Gates = {
    identity: createIdentity(identify),
    surface: createSurface(surfaces),
    lifecycle,
    environment: createEnvironment(declared),
    policy: createPolicy(policyParts),
  };
  return {
    identify,
    book,
    surfaces,
    policyParts,
    gates,
    again: { ...gates, policy: createPolicy(partsWith(NOTHING_COUNTED)) },
    requirementsOf: (tool) => ({ required: requiredCapabilities(tool.value) ?? [], missing: missing(tool) ?? [] }),
  };
};
