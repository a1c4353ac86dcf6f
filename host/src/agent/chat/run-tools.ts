/** The tools of one run, as the loop has them. Every call takes the one call path. */
import type { HandleCall } from "../../kernel/call.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { LoopTools, ToolEnding, ToolOrder } from "../loop/loop-options.ts";
import type { JoinedTools } from "../surface/joined-tools.ts";
import { agentCall, SILENT, type CallsOfRun } from "./agent-call.ts";
import type { SurfaceOfRun } from "./surface-of-run.ts";
import type { EndingMaker } from "./tool-ending.ts";

export interface RunToolsOptions {
  readonly surface: SurfaceOfRun;
  readonly joined: JoinedTools;
  readonly calls: CallsOfRun;
  readonly handleCall: HandleCall;
  readonly endingOf: EndingMaker;
}

const NEVER = new AbortController().signal;

export const createRunTools = (options: RunToolsOptions): LoopTools => {
  const { surface, joined, calls, handleCall, endingOf } = options;
  return {
    list: () => surface.now(joined.names()).tools,
    fullName: (written) => surface.fullName(written),
    async refuse({ name, code, why }) {
      const refusal = new Refusal(code, { message: why, next: "Do as this says, or go on without the call." });
      // Stage 3 says it, so that it is recorded where every other refusal is.
      const refusing = { ...calls, run: { ...calls.run, fence: () => refusal } };
      const asked = { operation: "call", name, input: {}, signal: NEVER, listener: SILENT } as const;
      return (await handleCall(agentCall(refusing, asked))).evidenceId;
    },
    async call(order: ToolOrder): Promise<ToolEnding> {
      joined.use(order.name);
      // Before the call: after it there may be nobody any more who could be asked for.
      const resourceUri = surface.resourceUriOf(order.name);
      const answer = await handleCall(
        agentCall(calls, {
          operation: "call",
          name: order.name,
          input: order.input,
          signal: order.signal,
          listener: {
            progress: (members) => order.progress(progressOf(members)),
            waits: order.waits,
            log: () => {},
            level: () => null,
          },
        }),
      );
      const ending = await endingOf(order.name, answer);
      return resourceUri === null ? ending : { ...ending, resourceUri };
    },
  };
};

type Progress = Parameters<ToolOrder["progress"]>[0];

/** What an upstream says of its progress may be anything. */
const progressOf = (members: string): Progress => {
  const told = JSON.parse(`{${members}}`) as Readonly<Record<string, unknown>>;
  const { progress, total, message } = told;
  return {
    progress: typeof progress === "number" ? progress : 0,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message: message.slice(0, 1_000) } : {}),
  };
};
