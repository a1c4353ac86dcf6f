/** What a run of the agent, a person's or a delegate's, calls with. */
import type { ParentRun } from "../../kernel/call-run.ts";
import type { LoopTools } from "../loop/loop-options.ts";
import type { CallsOfRun } from "./agent-call.ts";
import type { AgentPorts, AgentWorkspace } from "./agent-ports.ts";
import type { PlannedRun } from "./plan-run.ts";
import { createResultFiles } from "./result-files.ts";
import { createRunTools } from "./run-tools.ts";
import { createEndings } from "./tool-ending.ts";

export type Equipment = Pick<PlannedRun, "acting" | "surface" | "joined">;

export interface CallsOptions {
  readonly plan: Equipment;
  readonly run: ParentRun;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly waitMs: number;
}

export const callsOf = ({ plan, run, correlationId, causationId, waitMs }: CallsOptions): CallsOfRun => ({
  presented: plan.acting.presented,
  run,
  correlationId,
  causationId,
  approvalWaitMs: waitMs,
});

export interface ToolsOptions {
  readonly ports: AgentPorts;
  readonly here: AgentWorkspace;
  readonly calls: CallsOfRun;
  readonly plan: Equipment;
}

export const toolsOf = ({ ports, here, calls, plan }: ToolsOptions): LoopTools =>
  createRunTools({
    surface: plan.surface,
    joined: plan.joined,
    calls,
    handleCall: ports.handleCall,
    endingOf: createEndings({
      shape: ports.shape,
      report: ports.report,
      reader: () => plan.surface.whoMayCall("files__read"),
      keepFile: createResultFiles({ here, by: plan.acting.principal, calls }),
    }),
  });
