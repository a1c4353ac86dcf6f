/** The "no" to arguments that are not what the tool takes. */
import { Refusal } from "../../kernel/refusal.ts";
import type { Permitted } from "../../kernel/stages.ts";

/** `path`: where in the arguments; empty: all of them. */
export const invalidInput = ({ target }: Permitted, path: string, reason: string): Refusal =>
  new Refusal("invalid_input", {
    message: `Invalid arguments for ${target.flatName}: ${path === "" ? "arguments" : path} ${reason}.`,
    next: `Correct ${path === "" ? "the arguments" : path} as the tool's inputSchema says and call again.`,
    details: { path, schema_id: target.tool?.definition ?? null, reason },
  });
