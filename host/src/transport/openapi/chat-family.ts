/** Talking to the agent: messages, runs and what the model is sent. */
import type { Family } from "./described.ts";
import {
  anyObject,
  between,
  count,
  flag,
  list,
  number,
  object,
  order,
  orNull,
  ref,
  said,
  text,
  word,
} from "./schema.ts";

const STREAM = `Server-sent events, each with \`event:\`, JSON \`data:\` and an \`id:\` that counts from 1. Every event has
\`runId\`, those of a child run also \`parentRunId\`.
- \`chat.start\` {conversationId, model, skill, directTools}
- \`text.delta\` {text}: all of them joined are \`response\`
- \`tool.start\` {id, name, resourceUri?}
- \`tool.progress\` {id, progress, total?, message?}
- \`approval.needed\` {id, name, approvalId, digest, summary, expiresAt}
- \`tool.done\` {id, name, ok, ms, outcome, code?, result?, resourceUri?, evidenceId}
- \`llm.done\` {iteration, inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, finishReason}
- \`done\`: the ChatResult
- \`error\` {error, message, remedy?}

Exactly one \`done\` or \`error\` ends a stream. Comments keep it open. What is refused before it begins has its status.`;

const FINISH = word("stop", "tool-calls", "length", "content-filter", "other");
const REFUSED = ["run_in_progress", "model_unconfigured", "permission_missing", "rate_limited"] as const;

export const CHAT: Family = {
  tag: "chat",
  routes: {
    "POST /v1/chat": {
      id: "chat",
      summary: "One message to the agent, answered when the run has ended",
      description: "A call that needs a person's decision is not waited for.",
      body: { schema: ref("ChatOrder") },
      answers: [{ text: "How the run ended", schema: ref("ChatResult") }],
      refusals: [...REFUSED, "model_failed", "cancelled", "evidence_unavailable"],
    },
    "POST /v1/chat/stream": {
      id: "chatStream",
      summary: "The same, told while it goes on",
      description: STREAM,
      body: { schema: ref("ChatOrder") },
      answers: [{ text: "The events of the run", type: "text/event-stream", schema: text }],
      refusals: REFUSED,
    },
    "POST /v1/prompt": {
      id: "showPrompt",
      summary: "What the model would get, by layer; nothing runs",
      body: { schema: ref("ChatOrder") },
      answers: [{ text: "The layers, the tools and the message", schema: ref("Prompt") }],
      refusals: ["permission_missing"],
    },
    "GET /v1/runs/*/events": {
      id: "followRun",
      summary: "The events of a run, again or from where one was cut off",
      description: STREAM,
      at: ["id"],
      query: { after: said("As Last-Event-ID, which wins", count) },
      headers: { "Last-Event-ID": said("The last event that was heard: those after it come") },
      answers: [
        { text: "The events of the run", type: "text/event-stream", schema: text },
        { status: 204, text: "The run has ended, and all of it was heard" },
      ],
      refusals: ["rate_limited"],
    },
    "GET /v1/runs/*/prompt": {
      id: "getRunPrompt",
      summary: "What was sent to the model first in a run; for the owner",
      at: ["id"],
      answers: [{ text: "The layers, the tools and the message", schema: ref("Prompt") }],
      refusals: ["permission_missing"],
    },
  },
  schemas: {
    ChatOrder: order({
      message: { type: "string", minLength: 1 },
      "conversationId?": said("Absent: a new one", orNull(text)),
      "model?": said("provider:model, or a model of the default provider", orNull(text)),
      "maxIterations?": said("Above 25 counts as 25", orNull({ type: "integer", minimum: 1 })),
      "allowedTools?": said("Globs of what the agent may call; [] leaves the host's own nb__* alone", list(text)),
      "skill?": said("A name; false: none is to match", orNull({ type: ["string", "boolean"] })),
      "appContext?": said("The app in front of the person", orNull(order({ appName: text, serverName: text }))),
      "fileRefs?": said("files:// addresses", orNull(list(text))),
      "metadata?": orNull(anyObject),
    }),
    ChatResult: object({
      response: text,
      conversationId: text,
      runId: text,
      skillName: orNull(text),
      toolCalls: list(ref("StoredCall")),
      stopReason: word("complete", "max_iterations", "token_budget"),
      finishReason: FINISH,
      inputTokens: count,
      outputTokens: count,
      usage: object({
        inputTokens: count,
        outputTokens: count,
        cacheCreationTokens: count,
        cacheReadTokens: count,
        costUsd: orNull(number),
        model: text,
        llmMs: number,
        iterations: count,
        estimated: flag,
      }),
    }),
    StoredCall: object({
      id: text,
      name: text,
      input: {},
      output: text,
      ok: flag,
      ms: number,
      outcome: orNull(word("success", "failure", "denied", "skipped", "indeterminate")),
      "code?": text,
      "dropped?": word("token_budget", "iteration_limit"),
      "evidenceId?": text,
    }),
    Prompt: object({
      model: text,
      skill: orNull(ref("SkillMatched")),
      tier: word("skill", "all", "discovery"),
      layers: list(object({ layer: between(1, 4), source: text, text, chars: count })),
      stable: text,
      varying: text,
      tools: list(object({ name: text, description: text, inputSchema: anyObject })),
      message: text,
      history: object({ sent: count, leftOut: count }),
      estimatedTokens: count,
    }),
  },
};
