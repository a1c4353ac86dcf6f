/**
 * The one tool of the built-in bash bundle, as the host ships it: it is listed before its process ever runs. The server lists
 * the same object. Imports nothing, since a confined server sees its own directory alone.
 */
export const DEFAULT_TIMEOUT_MS = 30_000;
export const MAX_TIMEOUT_MS = 600_000;
export const MAX_CHARACTERS = 100_000;

export const EXEC_TOOL = {
  name: "exec",
  title: "Run a shell command",
  description:
    "Runs a command with the shell and answers what it wrote and how it ended. Each stream is cut at " +
    `${MAX_CHARACTERS} characters. Whatever it leaves running in the background is ended with it.`,
  inputSchema: {
    type: "object",
    properties: {
      command: { type: "string", minLength: 1, description: "The command line, as it would be typed into bash." },
      cwd: {
        type: "string",
        minLength: 1,
        description: "Where it runs; relative to the bundle's data directory, which is the default.",
      },
      timeoutMs: {
        type: "integer",
        minimum: 1,
        maximum: MAX_TIMEOUT_MS,
        default: DEFAULT_TIMEOUT_MS,
        description: "After so many milliseconds it is ended with all it started.",
      },
    },
    required: ["command"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      stdout: { type: "string" },
      stderr: { type: "string" },
      exitCode: { type: "integer", description: "128 and the signal's number where a signal ended it." },
      timedOut: { type: "boolean" },
    },
    required: ["stdout", "stderr", "exitCode", "timedOut"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
} as const;
