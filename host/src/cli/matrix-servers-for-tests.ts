/** The columns of the matrix: what is asked of each server and what must come back, or why it is not asked. */
import { join } from "node:path";
import { FILES } from "./matrix-host-for-tests.ts";

export const OPERATIONS = [
  "list",
  "call",
  "read",
  "prompt",
  "complete",
  "progress",
  "cancel",
  "elicitation",
  "sampling",
  "page",
  "page first",
] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Texts are what the answer must contain. */
export interface Orders {
  readonly list: { readonly tools: readonly string[] };
  readonly call: Call & { readonly text: string };
  readonly read: { readonly uri: string; readonly text: string };
  readonly prompt: { readonly name: string; readonly args: Readonly<Record<string, string>>; readonly text: string };
  readonly complete: {
    readonly ref: { readonly prompt: string } | { readonly template: string };
    readonly argument: { readonly name: string; readonly value: string };
    readonly values: readonly string[];
  };
  readonly progress: Call & { readonly steps: readonly number[] };
  /** Cancelled at its first sign of life. */
  readonly cancel: Call;
  readonly elicitation: Call & { readonly asked: string; readonly text: string };
  readonly sampling: Call & { readonly asked: string; readonly text: string };
  /** The person is to open a page while the call waits. */
  readonly page: Call & { readonly asked: string; readonly text: string };
  /** The person is to open a page, and then the call is to be made again. */
  readonly "page first": Call & { readonly asked: readonly [string, string]; readonly text: string };
}

export type Cells = { readonly [Each in Operation]: Orders[Each] | string };

export interface MatrixServer {
  readonly server: string;
  /** Reached on `/mcp` among all others; else on its own endpoint, because another server has the same URIs. */
  readonly joined: boolean;
  readonly cells: Cells;
}

const NO_RESOURCES = "has no resources";
const NO_PROMPTS = "has no prompts";
const NO_COMPLETION = "completes nothing";
const NO_PROGRESS = "reports no progress";
const AT_ONCE = "answers at once, so there is nothing to cancel";
const ASKS_NOTHING = "asks nothing";

const NO_PAGES = { page: "has no page to open", "page first": "has no page to open" } as const;

const TOOLS_ONLY = {
  ...NO_PAGES,
  read: NO_RESOURCES,
  prompt: NO_PROMPTS,
  complete: NO_COMPLETION,
  progress: NO_PROGRESS,
  cancel: AT_ONCE,
  elicitation: ASKS_NOTHING,
  sampling: ASKS_NOTHING,
} as const;

const EVERYTHING: Cells = {
  list: { tools: ["echo", "get-sum", "trigger-elicitation-request", "trigger-sampling-request", "get-roots-list"] },
  call: { tool: "get-sum", args: { a: 2, b: 3 }, text: "The sum of 2 and 3 is 5." },
  read: { uri: "demo://resource/dynamic/text/7", text: "Resource 7" },
  prompt: { name: "args-prompt", args: { city: "Rome" }, text: "What's weather in Rome?" },
  complete: {
    ref: { prompt: "completable-prompt" },
    argument: { name: "department", value: "S" },
    values: ["Sales", "Support"],
  },
  progress: { tool: "trigger-long-running-operation", args: { duration: 0.2, steps: 4 }, steps: [1, 2, 3, 4] },
  cancel: { tool: "trigger-long-running-operation", args: { duration: 60, steps: 600 } },
  elicitation: {
    tool: "trigger-elicitation-request",
    args: {},
    asked: "Please provide inputs for the following fields:",
    text: "- Name: Ada",
  },
  sampling: {
    tool: "trigger-sampling-request",
    args: { prompt: "of what", maxTokens: 5 },
    asked: "context: of what",
    text: "a sampled answer",
  },
  page: {
    tool: "trigger-url-elicitation",
    args: { url: "https://example.org/page", message: "Open it" },
    asked: "Open it https://example.org/page",
    text: "User completed the URL elicitation flow",
  },
  "page first": {
    tool: "trigger-url-elicitation",
    args: { url: "https://example.org/second", message: "Open it", errorPath: true },
    asked: [
      "Open this link to satisfy the prerequisite, then retry the request. https://modelcontextprotocol.io",
      "Open it https://example.org/second",
    ],
    text: "User completed the URL elicitation flow",
  },
};

const modernSdk = (scheme: string): Cells => ({
  list: { tools: ["add", "split", "steps", "wait", "aborted"] },
  call: { tool: "add", args: { a: 2, b: 3 }, text: "5" },
  read: { uri: `${scheme}://day/monday`, text: "on monday" },
  prompt: { name: "greet", args: { name: "Ada" }, text: "hello Ada" },
  complete: {
    ref: { template: `${scheme}://day/{day}` },
    argument: { name: "day", value: "tu" },
    values: ["tuesday"],
  },
  progress: { tool: "steps", args: { steps: 3 }, steps: [1, 2, 3] },
  cancel: { tool: "wait", args: { tag: "matrix" } },
  elicitation: ASKS_NOTHING,
  sampling: ASKS_NOTHING,
  ...NO_PAGES,
});

const FIXTURE: Cells = {
  list: { tools: ["test_simple_text", "test_elicitation", "test_sampling"] },
  call: { tool: "test_simple_text", args: {}, text: "This is a simple text response for testing." },
  read: { uri: "test://template/7/data", text: "Data for ID: 7" },
  prompt: { name: "test_prompt_with_arguments", args: { arg1: "a", arg2: "b" }, text: "arg1='a', arg2='b'" },
  complete: {
    ref: { prompt: "test_prompt_with_arguments" },
    argument: { name: "arg1", value: "par" },
    values: ["paris", "park", "party"],
  },
  progress: { tool: "test_tool_with_progress", args: {}, steps: [0, 50, 100] },
  cancel: { tool: "test_tool_with_progress", args: {} },
  elicitation: {
    tool: "test_elicitation",
    args: { message: "Who is it?" },
    asked: "Who is it?",
    text: 'User response: accept {"username":"ada"',
  },
  sampling: {
    tool: "test_sampling",
    args: { prompt: "Say something" },
    asked: "Say something",
    text: "LLM response: a sampled answer",
  },
  ...NO_PAGES,
};

export const SERVERS: readonly MatrixServer[] = [
  { server: "everything", joined: true, cells: EVERYTHING },
  { server: "everything-http", joined: false, cells: EVERYTHING },
  {
    server: "filesystem",
    joined: true,
    cells: {
      ...TOOLS_ONLY,
      list: { tools: ["read_text_file", "write_file"] },
      call: { tool: "read_text_file", args: { path: join(FILES, "note.txt") }, text: "written before" },
    },
  },
  {
    server: "memory",
    joined: true,
    cells: {
      ...TOOLS_ONLY,
      list: { tools: ["create_entities", "open_nodes"] },
      call: {
        tool: "create_entities",
        args: { entities: [{ name: "Ada", entityType: "person", observations: ["she wrote the first program"] }] },
        text: "[",
      },
    },
  },
  {
    server: "thinking",
    joined: true,
    cells: {
      ...TOOLS_ONLY,
      list: { tools: ["sequentialthinking"] },
      call: {
        tool: "sequentialthinking",
        args: { thought: "it works", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
        text: '"thoughtNumber": 1',
      },
    },
  },
  { server: "modern-stdio", joined: true, cells: modernSdk("piped") },
  { server: "modern-http", joined: true, cells: modernSdk("remote") },
  { server: "fixture-legacy", joined: true, cells: FIXTURE },
  { server: "fixture-modern", joined: false, cells: FIXTURE },
];
