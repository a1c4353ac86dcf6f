/** Conversations of the workspace. */
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
  time,
  word,
} from "./schema.ts";

const AT = ["id"];
const REFUSED = ["permission_missing", "bad_request"] as const;

export const CONVERSATIONS: Family = {
  tag: "conversations",
  routes: {
    "GET /v1/conversations": {
      id: "listConversations",
      summary: "Your conversations, the latest first; with evidence:read everybody's",
      query: {
        limit: said("20 if absent", between(1, 100)),
        cursor: text,
        search: said("Words of titles, ids and messages; every one must occur"),
        sortBy: word("createdAt", "updatedAt"),
      },
      answers: [
        {
          text: "A page of them",
          schema: object({
            conversations: list(ref("Conversation")),
            nextCursor: orNull(text),
            totalCount: count,
            "unsearched?": said("Of how many, the oldest, the messages were too much to be searched", count),
          }),
        },
      ],
      refusals: REFUSED,
    },
    "GET /v1/conversations/*/history": {
      id: "getHistory",
      summary: "All messages of a conversation",
      at: AT,
      answers: [
        {
          text: "Oldest first",
          schema: object({
            conversationId: text,
            messages: list(ref("Message")),
            "defect?": said("What was cut off or could not be read"),
          }),
        },
      ],
      refusals: REFUSED,
    },
    "PATCH /v1/conversations/*": {
      id: "renameConversation",
      summary: "Give a conversation another title",
      at: AT,
      body: { schema: order({ title: { type: "string", maxLength: 1000 } }) },
      answers: [{ text: "The conversation", schema: ref("Conversation") }],
      refusals: [...REFUSED, "evidence_unavailable"],
    },
    "DELETE /v1/conversations/*": {
      id: "deleteConversation",
      summary: "Delete a conversation; evidence of its calls stays",
      at: AT,
      answers: [{ status: 204, text: "It is gone, and its run has ended" }],
      refusals: [...REFUSED, "run_in_progress", "evidence_unavailable"],
    },
    "POST /v1/conversations/*/fork": {
      id: "forkConversation",
      summary: "Copy the messages before one into a new conversation",
      at: AT,
      body: { schema: order({ "atMessage?": orNull(count) }), isOptional: true },
      answers: [{ status: 201, text: "The new conversation", schema: ref("Conversation") }],
      refusals: [...REFUSED, "evidence_unavailable"],
    },
    "POST /v1/conversations/*/cancel": {
      id: "cancelRun",
      summary: "End the run that is going on in a conversation",
      at: AT,
      body: { schema: anyObject, isOptional: true },
      answers: [{ status: 202, text: "It is being ended", schema: object({ conversationId: text }) }],
      refusals: REFUSED,
    },
  },
  schemas: {
    Conversation: object({
      id: text,
      createdAt: time,
      updatedAt: time,
      title: text,
      messageCount: count,
      preview: text,
      totalInputTokens: count,
      totalOutputTokens: count,
      totalCostUsd: orNull(number),
    }),
    Message: object({
      role: word("user", "assistant"),
      content: text,
      ts: time,
      "toolCalls?": list(ref("StoredCall")),
      "skill?": text,
      "model?": text,
      "inputTokens?": count,
      "outputTokens?": count,
      "files?": list(text),
      "runId?": text,
      "by?": said("Who wrote it; of user messages"),
      "stopReason?": word("complete", "max_iterations", "token_budget"),
      "interrupted?": flag,
    }),
  },
};
