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
import { createSurfaces } from "./surface/create-surfaces.ts";
import { createRegistry } from "./surface/registry.ts";
import { createSurface } from "./surface/surface.ts";
import { createUpstream } from "./upstream/upstream.ts";

export interface CallOptions {
  readonly log: EvidenceLog;
  readonly findKey: (secret: string) => Credential | null;
  readonly noAuth: () => boolean;
  readonly maxNameLength: number;
  readonly owners: UriOwners;
  readonly tasks: TaskStore;
  /** Whether the call of a task of an earlier run has no outcome yet. */
  readonly isOpen: (invocationId: string) => boolean;
  readonly reportBug: (error: unknown) => void;
}

export interface CallPath {
  readonly handleCall: HandleCall;
  readonly identify: Identify;
  readonly shape: ShapeAnswer;
  readonly surfaces: Surfaces;
  readonly tasks: Tasks;
  readonly providers: ProviderSink;
  close(): void;
}

/** The host has no folders of its own to offer yet. */
const NO_ROOTS = rawJson('{"roots":[]}');

/** The host declares no environment capability yet, so a tool that requires one is listed and refused. */
const declared: ReadonlySet<string> = new Set();

/** Listing and calling ask the same question: which facts keep this tool from running now? */
const listedLifecycle = (provider: Provider, tool: ListedTool): Lifecycle => {
  const found = lifecycleOf(provider);
  const required = requiredCapabilities(tool.value);
  if (found.state === "unavailable") return found;
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
  const registry = createRegistry();
  const surfaces = createSurfaces(registry, {
    maxNameLength: options.maxNameLength,
    owners: options.owners,
    lifecycleOf: listedLifecycle,
  });
  const identify = createIdentify({ findKey: options.findKey, noAuth: options.noAuth });
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
      const provider = registry.get(name);
      return provider?.of?.(principal) ?? provider;
    },
    reportBug: options.reportBug,
  });
  return {
    identify,
    surfaces,
    shape: shapeAnswer,
    providers: registry,
    tasks: following.tasks,
    close: () => {
      following.close();
      registry.close();
    },
    handleCall: createHandleCall({
      ...gates,
      input,
      approval,
      open: evidence.open,
      upstream: createUpstream({
        ...evidence,
        recheck: createRecheck(gates),
        hostRoots: () => NO_ROOTS,
        desk: following.desk,
      }),
      close: evidence.close,
      result,
      refuse: evidence.refuse,
    }),
  };
};
