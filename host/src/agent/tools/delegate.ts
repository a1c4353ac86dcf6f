/** `nb__delegate`: hands a task to a sub-agent. What that one may do and spend is decided where it is run. */
import type { BuiltInTool } from "../../kernel/built-in.ts";
import { DELEGATE_ITERATIONS } from "./delegate-iterations.ts";
import type { SystemToolPorts } from "./system-tool-ports.ts";
import { answer, invalidInput } from "./tool-answers.ts";
import { flag, integer, list, object, text } from "./tool-schemas.ts";

const { most } = DELEGATE_ITERATIONS;

interface DelegateArguments {
  readonly task: string;
  readonly agent?: string;
  readonly tools?: readonly string[];
  readonly maxIterations?: number;
}

export const delegateTool = (ports: SystemToolPorts): BuiltInTool => ({
  definition: {
    name: "delegate",
    title: "Delegate a task",
    description:
      "Hands a task to a sub-agent that works on it by itself and answers once. It knows nothing of this conversation: say all that it needs in the task. " +
      "Several can be called at the same time. It can use only tools that you can use, and what it uses up counts as yours.",
    inputSchema: object(
      {
        task: text("What is to be done, with everything that is needed for it", { minLength: 1, maxLength: 100_000 }),
        agent: text("The name of a configured profile; absent: a general sub-agent", { minLength: 1, maxLength: 128 }),
        tools: list(
          "Which tools it may use, as globs such as files__*; empty: none; absent: as the profile says, else all of yours",
          { type: "string", maxLength: 256 },
          { maxItems: 200 },
        ),
        maxIterations: integer(`How many steps it may take; above ${most} counts as ${most}`, { minimum: 1 }),
      },
      ["task"],
    ),
    outputSchema: object(
      {
        response: text("Its answer"),
        stopReason: text("Why it ended", { enum: ["complete", "max_iterations", "token_budget"] }),
        iterations: integer("How many steps it took", { minimum: 0 }),
        toolCalls: list(
          "What it called",
          object({ name: text("Which tool"), ok: flag("It succeeded"), ms: { type: "number", minimum: 0 } }, [
            "name",
            "ok",
            "ms",
          ]),
        ),
        inputTokens: integer("Read by its model", { minimum: 0 }),
        outputTokens: integer("Written by its model", { minimum: 0 }),
        runId: text("Of its run"),
      },
      ["response", "stopReason", "iterations", "toolCalls", "inputTokens", "outputTokens", "runId"],
    ),
    // Each call of the sub-agent passes the gates by itself; this one changes nothing on its own.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },
  run: async (args, call) => {
    const { task, agent = null, tools = null, maxIterations } = args as unknown as DelegateArguments;
    if (task.trim() === "") throw invalidInput("/task", "must say something", "Say in task what is to be done.");
    const steps = maxIterations === undefined ? null : Math.min(maxIterations, most);
    const result = await ports.delegate({ task, agent, tools, maxIterations: steps }, call);
    const { response, stopReason, iterations, inputTokens, outputTokens, runId } = result;
    const toolCalls = result.toolCalls.map(({ name, ok, ms }) => ({ name, ok, ms: Math.max(0, ms) }));
    return answer({ response, stopReason, iterations, toolCalls, inputTokens, outputTokens, runId });
  },
});
