/** Tools: what there is, calling one, and what would become of a call. */
import { OF_A_CALL, type Family } from "./described.ts";
import { anyObject, between, flag, list, object, orNull, ref, said, text, word } from "./schema.ts";

const CALL = {
  type: "object",
  properties: {
    name: said("The flat name, provider__tool"),
    server: said("With tool instead of name: the provider"),
    tool: said("The provider's own name of the tool"),
    arguments: anyObject,
    surface: said("The token of the list that it was chosen from: refused if the list is another one by now"),
    idempotencyKey: said("The same call with the same key runs once", { type: "string", minLength: 1, maxLength: 256 }),
  },
  oneOf: [{ required: ["name"] }, { required: ["server", "tool"] }],
} as const;

export const TOOLS: Family = {
  tag: "tools",
  routes: {
    "GET /v1/tools": {
      id: "listTools",
      summary: "The caller's surface, each tool with its state and the reason",
      query: { q: said("Words to look for"), satisfied: said("Only tools of which no capability is missing", flag) },
      answers: [
        {
          text: "The surface and its token",
          schema: object({ surface: orNull(text), tools: list(ref("Tool")) }),
        },
      ],
    },
    "POST /v1/tools/call": {
      id: "callTool",
      summary: "Call a tool",
      headers: { Prefer: said("wait=<seconds>, at most 300: how long to wait for a person's decision") },
      body: { schema: ref("Call") },
      answers: [{ text: "The whole result of the tool, its own errors included", schema: ref("CallToolResult") }],
      refusals: OF_A_CALL,
    },
    "POST /v1/tools/explain": {
      id: "explainCall",
      summary: "What would become of a call, stage by stage; nothing is sent",
      body: {
        schema: {
          ...CALL,
          properties: { ...CALL.properties, as: said("For somebody else; needs policy:read") },
        },
      },
      answers: [{ text: "Each stage's verdict", schema: ref("Explanation") }],
      refusals: ["permission_missing"],
    },
  },
  schemas: {
    Call: CALL,
    Tool: object({
      name: text,
      provider: text,
      title: orNull(text),
      description: orNull(text),
      state: word(
        "declared",
        "invokable",
        "hosted",
        "discoverable",
        "deprecated",
        "suspended",
        "disabled",
        "unavailable",
      ),
      reason: orNull(text),
      next: orNull(text),
      definition: said("sha256 of the definition"),
      "required_capabilities?": list(text),
      "missing_capabilities?": list(text),
    }),
    CallToolResult: said(
      'As MCP has it; the id of the evidence is in _meta["dev.bailiwick/evidence"]',
      object({ "content?": list(anyObject), "structuredContent?": {}, "isError?": flag, "_meta?": anyObject }),
    ),
    Explanation: object({
      tool: orNull(text),
      capability_id: orNull(text),
      principal: text,
      verdict: word("run", "wait", "refuse"),
      decided_by: orNull(object({ stage: between(1, 12), name: text, rule: text })),
      digest: orNull(text),
      surface: orNull(text),
      policy_version: text,
      stages: list(
        object({
          stage: between(1, 12),
          name: text,
          check: text,
          status: word("pass", "fail", "warn", "not_evaluated"),
          why: text,
          "next?": text,
        }),
      ),
      next: orNull(object({ fixer: text, do: text })),
    }),
  },
};
