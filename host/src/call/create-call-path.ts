/**
 * Joins the stages into the one call path. The only place that knows all of them.
 */
import type { Approvals } from "../kernel/approvals.ts";
import type { HandleCall, RawCall, ShapeAnswer } from "../kernel/call.ts";
import { isConfidential } from "../kernel/data-class.ts";
import type { DescriptorsOf } from "../kernel/descriptor.ts";
import type { SurfaceFactsOf } from "../kernel/tool-facts.ts";
import type { EvidenceLog } from "../kernel/evidence.ts";
import type { Explanation } from "../kernel/explanation.ts";
import type { PolicyReport } from "../kernel/policy-report.ts";
import type { Presented, Principal } from "../kernel/principal.ts";
import type { ProviderSink } from "../kernel/provider.ts";
import type { RootsOf } from "../kernel/roots.ts";
import type { Seals } from "../kernel/seal.ts";
import type { Surfaces } from "../kernel/surface.ts";
import type { Tasks, TaskStore } from "../kernel/tasks.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import { createApprovals, type ApprovalRoom, type ApprovalsOptions } from "./approval/create-approvals.ts";
import { cancelChanged } from "./cancel-changed.ts";
import { createDescriptors } from "./create-descriptors.ts";
import { createSurfaceFacts } from "./create-surface-facts.ts";
import { createGates, type AllGates, type GatesOptions } from "./create-gates.ts";
import { createReassess, createRecheck } from "./create-recheck.ts";
import type { EnvironmentBook } from "./environment/environment-book.ts";
import { createEvidenceStages } from "./evidence/evidence.ts";
import { createExplain } from "./explain.ts";
import { createHandleCall } from "./handle-call.ts";
import type { Identifier } from "./identity/identify.ts";
import { checkOutput } from "./input/check-output.ts";
import { createInput } from "./input/input.ts";
import { joinTasks } from "./join-tasks.ts";
import { deprecatedMember } from "./lifecycle/deprecated-member.ts";
import { createLifecycleWatch, type LifecycleChange } from "./lifecycle/lifecycle-watch.ts";
import { createOnce } from "./once/once.ts";
import { createReplies } from "./once/replies.ts";
import { createExplainPolicy } from "./policy/explain-policy.ts";
import { judgeHostResources, type HostResourceAsk, type HostResourceVerdict } from "./policy/judge-host-resources.ts";
import type { PolicyBook } from "./policy/policy-book.ts";
import { createRefusedOutright, type RefusedOutright } from "./refused-outright.ts";
import { createResult } from "./result/result.ts";
import { shapeAnswer } from "./result/shape-answer.ts";
import { awaitListing } from "./surface/await-listing.ts";
import type { WorkspaceSurfaces } from "./surface/workspace-surfaces.ts";
import { createExplainSurface } from "./surface/explain-surface.ts";
import { createSpill, type SpillOptions } from "./upstream/spill.ts";
import { createUpstream } from "./upstream/upstream.ts";

export interface CallOptions extends GatesOptions {
  readonly log: EvidenceLog;
  readonly seals: Seals;
  readonly taskStore: TaskStore;
  /** Whether the call of a task of an earlier run has no outcome yet. */
  readonly isOpen: (invocationId: string) => boolean;
  /** The folders that calls may work in. */
  readonly roots: RootsOf;
  readonly approvals: Pick<ApprovalsOptions, "hostId" | "signer" | "approverKeys" | "classifications">;
  /** Whether `evidence.retainPayloads` names this tool; nothing of a confidential one is kept, whatever it says. */
  readonly retains: (flatName: string) => boolean;
  /** Has a caller's credential verified, if `identify` need not know it any more, and its workspace opened. */
  readonly prepare: (caller: { readonly principal: Principal; readonly presented: Presented }) => Promise<void>;
  readonly lifecycleChanged: (change: LifecycleChange) => void;
  /** Where results go that are too large to be answered. Default: they are answered all the same. */
  readonly spill?: SpillOptions;
  readonly reportBug: (error: unknown) => void;
}

export interface CallPath {
  readonly handleCall: HandleCall;
  readonly identify: Identifier;
  readonly shape: ShapeAnswer;
  readonly surfaces: Surfaces;
  readonly tasks: Tasks;
  readonly approvals: Approvals;
  readonly cancelApprovals: ApprovalRoom["cancelWhere"];
  readonly endStanding: ApprovalRoom["endStanding"];
  readonly forgetPurged: ApprovalRoom["forgetPurged"];
  readonly descriptors: DescriptorsOf;
  readonly surfaceFacts: SurfaceFactsOf;
  readonly policies: PolicyBook;
  readonly environment: EnvironmentBook;
  readonly requirements: AllGates["requirements"];
  /** What is in force in a workspace, compared with the tools that there are. */
  policyReport(workspace: string): PolicyReport;
  /** Lists what is there again, everywhere or in one workspace, after a change of policy. */
  refresh(workspace?: string): void;
  /** As whoever this is, with nothing done. */
  explain(raw: RawCall, principal: Principal): Explanation;
  /** Of the agent's calls: what policy refuses whatever the arguments are. */
  readonly refusedOutright: RefusedOutright;
  /** Whether a bundle may have one of the host's own resources. */
  judgeHostResources(ask: HostResourceAsk): HostResourceVerdict;
  /** Of the default workspace. */
  readonly providers: ProviderSink;
  providersOf(workspace: string): ProviderSink;
  /** Goes on with calls that waited for a decision when the host stopped; to be called when there are doors. */
  resumeWaiting(): void;
  close(): void;
}

export const createCallPath = (options: CallOptions): CallPath => {
  const { log, seals, state, roots: rootsOf, reportBug } = options;
  const all = createGates({ ...options, policy: { ...options.policy, rootsOf } });
  const { gates, again, identify, book, surfaces, policyParts, environment } = all;
  const recheck = createRecheck(again);
  const replies = createReplies(seals);
  const evidence = createEvidenceStages({
    log,
    replies,
    retains: options.retains,
    mayBegin: gates.environment,
    isConfidential: ({ classification }) => isConfidential(classification, options.approvals.classifications()),
    reportBug,
  });
  const input = createInput({ guardrailsOf: (workspace) => book.of(workspace).guardrails, rootsOf });
  const approvals = createApprovals({
    ...options.approvals,
    log,
    state,
    seals,
    rootsOf,
    factsOf: (id) => identify.factsOf(id),
    isMember: options.isMember,
    approversIn: (workspace) => book.of(workspace).approvers,
    reassess: createReassess(gates, input.run),
    now: Date.now,
    reportBug,
  });
  const following = joinTasks({
    store: options.taskStore,
    isOpen: options.isOpen,
    log,
    gates: again,
    rootsOf,
    refuse: evidence.refuse,
    prepare: options.prepare,
    findProvider: (name, principal) => {
      const provider = surfaces.registry(principal.workspace).get(name);
      return provider?.of?.(principal) ?? provider;
    },
    reportBug,
  });
  const spine = createHandleCall({
    ...gates,
    surface: awaitListing(gates.surface),
    // Stage 9 asks the gate itself if such a call turns out to be over.
    environment: (call) => (evidence.resumes(call) ? again.environment(call) : gates.environment(call)),
    input: input.run,
    approval: approvals.stage,
    open: evidence.open,
    upstream: createUpstream({
      ...evidence,
      recheck,
      checkOutput,
      digestOf: approvals.digestOf,
      rootsOf,
      resolve: input.resolve,
      spill: options.spill === undefined ? (_, ending) => ending : createSpill(options.spill, reportBug),
      desk: following.desk,
    }),
    close: evidence.close,
    result: createResult(deprecatedMember),
    refuse: following.refuse,
  });
  const handleCall = createOnce({
    identify,
    state,
    replies,
    next: spine,
    refuse: evidence.refuse,
  });
  const endWatches = [
    createLifecycleWatch(surfaces, options.lifecycleChanged),
    cancelChanged(surfaces, approvals, reportBug),
  ];
  return {
    handleCall,
    identify,
    surfaces,
    shape: shapeAnswer,
    tasks: following.tasks,
    approvals: approvals.approvals,
    cancelApprovals: (why) => approvals.cancelWhere(why),
    endStanding: (why) => approvals.endStanding(why),
    forgetPurged: (correlationIds) => approvals.forgetPurged(correlationIds),
    descriptors: createDescriptors(surfaces),
    surfaceFacts: createSurfaceFacts(surfaces, options.maxNameLength),
    policies: book,
    environment,
    requirements: (workspace) => all.requirements(workspace),
    policyReport: (workspace) => book.report(workspace, toolNames(surfaces, workspace)),
    refresh: (workspace) => surfaces.refresh(workspace),
    explain: createExplain({
      surface: createExplainSurface(surfaces),
      environment: gates.environment,
      required: ({ target }) =>
        (target.tool && environment.of(target.provider.name, target.tool, target.flatName))?.required ?? [],
      policy: createExplainPolicy(policyParts),
      inputChecks: input.checks,
      rootsFor: input.rootsFor,
      approval: approvals.explain,
      policyVersion: (workspace) => book.of(workspace).version,
    }),
    refusedOutright: createRefusedOutright(surfaces, again.policy, "agent"),
    judgeHostResources: (ask) => judgeHostResources(book, ask),
    providers: surfaces.registry(DEFAULT_WORKSPACE),
    providersOf: (workspace) => surfaces.registry(workspace),
    resumeWaiting: () => following.start({ approvals: approvals.approvals, handleCall }),
    close: () => {
      for (const end of endWatches) end();
      following.close();
      approvals.close();
      surfaces.close();
    },
  };
};

const toolNames = (surfaces: WorkspaceSurfaces, workspace: string): string[] =>
  surfaces.pages(workspace).flatMap((page) => [...page.tools.values()].map(({ flat }) => flat));
