/**
 * Joins the stages into the one call path. The only place that knows all of them.
 */
import type { HandleCall, ShapeAnswer } from "../kernel/call.ts";
import type { EvidenceLog } from "../kernel/evidence.ts";
import type { Identify } from "../kernel/principal.ts";
import { rawJson } from "../kernel/raw-json.ts";
import type { ListedTool, Provider, ProviderSink } from "../kernel/provider.ts";
import type { Lifecycle } from "../kernel/stages.ts";
import type { Surfaces } from "../kernel/surface.ts";
import type { Tasks, TaskStore } from "../kernel/tasks.ts";
import type { UriOwners } from "../kernel/uri-owners.ts";
import { DEFAULT_WORKSPACE, type IsMember } from "../kernel/workspace.ts";
import { approval } from "./approval/approval.ts";
import { createRecheck, type Gates } from "./create-recheck.ts";
import { createEnvironment, missingCapabilities, requiredCapabilities } from "./environment/environment.ts";
import { createEvidenceStages } from "./evidence/evidence.ts";
import { createHandleCall } from "./handle-call.ts";
import { createIdentify, createIdentity, type Credential } from "./identity/identify.ts";
import { schemaTooLarge } from "./input/compile-schema.ts";
import { input } from "./input/input.ts";
import { joinTasks } from "./join-tasks.ts";
import { lifecycle, lifecycleOf } from "./lifecycle/lifecycle.ts";
import { policy } from "./policy/policy.ts";
import { result } from "./result/result.ts";
import { shapeAnswer } from "./result/shape-answer.ts";
import { awaitListing } from "./surface/await-listing.ts";
import { createSurface } from "./surface/surface.ts";
import { createWorkspaceSurfaces } from "./surface/workspace-surfaces.ts";
import { createSpill, type SpillOptions } from "./upstream/spill.ts";
import { createUpstream } from "./upstream/upstream.ts";

export interface CallOptions {
  readonly log: EvidenceLog;
  readonly findKey: (secret: string) => Credential | null;
  readonly noAuth: () => boolean;
  readonly maxNameLength: number;
  readonly isMember: IsMember;
  /** Whose URIs are whose in a workspace. */
  readonly ownersOf: (workspace: string) => UriOwners;
  readonly tasks: TaskStore;
  /** Whether the call of a task of an earlier run has no outcome yet. */
  readonly isOpen: (invocationId: string) => boolean;
  /** Where results go that are too large to be answered. Default: they are answered all the same. */
  readonly spill?: SpillOptions;
  readonly reportBug: (error: unknown) => void;
}

export interface CallPath {
  readonly handleCall: HandleCall;
  readonly identify: Identify;
  readonly shape: ShapeAnswer;
  readonly surfaces: Surfaces;
  readonly tasks: Tasks;
  /** Of the default workspace. */
  readonly providers: ProviderSink;
  providersOf(workspace: string): ProviderSink;
  close(): void;
}

/** The host has no folders of its own to offer yet. */
const NO_ROOTS = rawJson('{"roots":[]}');

/** The host declares no environment capability yet, so a tool that requires one is listed and refused. */
const declared: ReadonlySet<string> = new Set();

/** Listing and calling ask the same question: which facts keep this tool from running now? */
const listedLifecycle = (provider: Provider, tool: ListedTool): Lifecycle => {
  const found = lifecycleOf(provider, tool);
  const required = requiredCapabilities(tool.value);
  if (found.state === "unavailable" || found.state === "suspended") return found;
  if (required === null) {
    return {
      state: "suspended",
      reason: "capability_declaration_invalid",
      next: "Report it to the author.",
      retryAfterMs: null,
    };
  }
  const large = schemaTooLarge(tool.value["inputSchema"]);
  if (large !== null)
    return { state: "suspended", reason: large, next: "Report it to the author.", retryAfterMs: null };
  const missing = missingCapabilities(required, declared);
  if (missing.length === 0 || found.state === "hosted") return found;
  const reason = `This host does not declare ${missing.join(", ")}.`;
  return { state: "discoverable", reason, next: `bailiwick capabilities add ${missing.join(" ")}`, retryAfterMs: null };
};

export const createCallPath = (options: CallOptions): CallPath => {
  const { findKey, noAuth, maxNameLength, isMember, ownersOf } = options;
  const surfaces = createWorkspaceSurfaces({
    maxNameLength,
    ownersOf,
    lifecycleOf: listedLifecycle,
  });
  const identify = createIdentify({ findKey, noAuth, isMember });
  const gates: Gates = {
    identity: createIdentity(identify),
    surface: createSurface(surfaces),
    lifecycle,
    environment: createEnvironment(declared),
    policy,
  };
  const evidence = createEvidenceStages(options.log, options.reportBug);
  const following = joinTasks({
    store: options.tasks,
    isOpen: options.isOpen,
    log: options.log,
    gates,
    refuse: evidence.refuse,
    findProvider: (name, principal) => {
      const provider = surfaces.registry(principal.workspace).get(name);
      return provider?.of?.(principal) ?? provider;
    },
    reportBug: options.reportBug,
  });
  return {
    identify,
    surfaces,
    shape: shapeAnswer,
    providers: surfaces.registry(DEFAULT_WORKSPACE),
    providersOf: (workspace) => surfaces.registry(workspace),
    tasks: following.tasks,
    close: () => {
      following.close();
      surfaces.close();
    },
    handleCall: createHandleCall({
      ...gates,
      surface: awaitListing(gates.surface),
      input,
      approval,
      open: evidence.open,
      upstream: createUpstream({
        ...evidence,
        recheck: createRecheck(gates),
        hostRoots: () => NO_ROOTS,
        spill: options.spill === undefined ? (_, ending) => ending : createSpill(options.spill, options.reportBug),
        desk: following.desk,
      }),
      close: evidence.close,
      result,
      refuse: evidence.refuse,
    }),
  };
};
