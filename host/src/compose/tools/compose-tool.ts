/** One tool of compose: its definition, what its guide says, and what it does. */
import type { ToolGuide } from "../documents/tool-entry.ts";
import type { ToolCategory } from "../documents/tool-categories.ts";
import type { ComposeCall } from "../workbench.ts";

export interface ComposeTool {
  readonly name: string;
  readonly title: string;
  readonly category: ToolCategory;
  readonly description: string;
  /** Ids and contexts are plain there: what is wrong with one is said by its own code, not by the schema. */
  readonly inputSchema: object;
  /** Of both answers: `success`, `duration_ms` and `error` stand in it too. */
  readonly outputSchema: object;
  readonly annotations: object;
  readonly guide: ToolGuide;
  readonly timeoutMs: number;
  /**
   * What the answer has between `success` and `duration_ms`. Throws ComposeError for an expected "no". The signal is aborted
   * when the caller gives up or the tool's time is over.
   */
  run(args: Readonly<Record<string, unknown>>, call: ComposeCall): Promise<Readonly<Record<string, unknown>>>;
}
