/**
 * Gates 2 to 6, twice: for calls that begin, and for calls that are under way and asked about again, which have been counted
 * and must not meet their own count.
 */
import type { HostState } from "../kernel/evidence.ts";
import type { Requirements } from "../kernel/environment.ts";
import type { UriOwners } from "../kernel/uri-owners.ts";
import { DEFAULT_WORKSPACE, type IsMember } from "../kernel/workspace.ts";
import type { Gates } from "./create-recheck.ts";
import { createEnvironment, createEnvironmentAgain } from "./environment/environment.ts";
import {
  createEnvironmentBook,
  type EnvironmentBook,
  type EnvironmentSettings,
} from "./environment/environment-book.ts";
import { createIdentify, createIdentity, type Identifier, type IdentifyOptions } from "./identity/identify.ts";
import { schemaDefect } from "./input/schema-defect.ts";
import { lifecycle } from "./lifecycle/lifecycle.ts";
import { createListedLifecycle } from "./lifecycle/listed-lifecycle.ts";
import { createMandates, type MandatesOptions } from "./policy/mandate/mandates.ts";
import { createPolicy, type PolicyOptions } from "./policy/policy.ts";
import { createPolicyBook, type PolicyBook, type PolicyBookOptions } from "./policy/policy-book.ts";
import { WindowCounts } from "./policy/window-counts.ts";
import { listedName } from "./surface/flat-name.ts";
import { createSurface } from "./surface/surface.ts";
import type { Page } from "./surface/render-provider.ts";
import { createWorkspaceSurfaces, type WorkspaceSurfaces } from "./surface/workspace-surfaces.ts";

export interface GatesOptions extends Omit<IdentifyOptions, "isMember"> {
  readonly maxNameLength: number;
  readonly isMember: IsMember;
  /** Whose URIs are whose in a workspace. */
  readonly ownersOf: (workspace: string) => UriOwners;
  readonly policy: PolicyBookOptions;
  /** What the host declares and its operator requires, until it is replaced. */
  readonly capabilities: EnvironmentSettings;
  readonly mandates: Pick<MandatesOptions, "mandates" | "mandatePrincipals" | "delegates" | "isRevoked">;
  readonly state: HostState;
}

export interface ToolRequirements extends Requirements {
  readonly flat: string;
}

export interface AllGates {
  readonly identify: Identifier;
  readonly book: PolicyBook;
  readonly surfaces: WorkspaceSurfaces;
  /** What policy is decided with, for those who explain it. */
  readonly policyParts: PolicyOptions;
  readonly environment: EnvironmentBook;
  /** Of every tool that there is in a workspace. */
  requirements(workspace: string): readonly ToolRequirements[];
  readonly gates: Gates;
  readonly again: Gates;
}

const NOTHING_COUNTED: Pick<HostState, "entries"> = { entries: () => [] };

export const createGates = (options: GatesOptions): AllGates => {
  const { maxNameLength, ownersOf, state } = options;
  const identify = createIdentify(options);
  const book = createPolicyBook(options.policy);
  const environment = createEnvironmentBook(options.capabilities);
  const surfaces = createWorkspaceSurfaces({
    ...book,
    // Policies of a workspace may come back with an earlier number, so the sum of both would not do.
    generation: (workspace) => environment.generation() * 2 ** 32 + book.generation(workspace),
    maxNameLength,
    ownersOf,
    requirementsOf: environment.of,
    lifecycleOf: createListedLifecycle((tool) => schemaDefect(tool.value["inputSchema"])),
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
    environment: createEnvironment({ book: environment, listedName: (flat) => listedName(flat, maxNameLength) }),
    policy: createPolicy(policyParts),
  };
  return {
    identify,
    book,
    surfaces,
    policyParts,
    gates,
    environment,
    requirements: (workspace) => requirementsIn(surfaces, workspace),
    again: {
      ...gates,
      environment: createEnvironmentAgain(environment),
      policy: createPolicy(partsWith(NOTHING_COUNTED)),
    },
  };
};

/** A page is another object when anything on it is. */
const known = new WeakMap<Page, readonly ToolRequirements[]>();

const requirementsIn = (surfaces: WorkspaceSurfaces, workspace: string): readonly ToolRequirements[] =>
  surfaces.pages(workspace).flatMap((page) => {
    const found = known.get(page) ?? requirementsOn(page);
    known.set(page, found);
    return found;
  });

const requirementsOn = (page: Page): readonly ToolRequirements[] =>
  [...page.tools.values()].map(({ flat, requirements }) => ({
    flat,
    required: requirements?.required ?? [],
    missing: requirements?.missing ?? [],
  }));
