/** Logging in, health, events and the descriptions that the host gives of itself. */
import type { Family } from "./described.ts";
import { anyObject, count, flag, list, object, order, orNull, ref, said, text, time, word } from "./schema.ts";

const EVENTS = `Server-sent events of the caller's workspace, each with an \`id\` that counts up, for \`Last-Event-ID\`.
- \`bundle.*\` {name, ...}; \`config.reloaded\`, \`config.rejected\` for those who manage bundles
- \`surface.changed\` {version}
- \`skill.changed\` {name}
- \`approval.pending\`, \`approval.decided\` {id, state, tool}, for who asked or may decide
- \`conversation.updated\` {id}
- \`data.changed\` {server, tool, timestamp, origin} after each successful call of a tool that is not marked read-only
- \`heartbeat\` {timestamp} every 30 seconds, without an id
- \`gap\` {after}, without an id: events after that one are not kept any more

The last 500 are kept. A key with scopes hears only of what it may name.`;

export const HOST: Family = {
  tag: "host",
  routes: {
    "GET /v1/health": {
      id: "getHealth",
      summary: "Whether the host works; without a credential the status word alone",
      answers: [{ text: "The state of the host", schema: ref("Health") }],
      open: true,
    },
    "POST /v1/auth/login": {
      id: "login",
      summary: "Log in with a key; sets the cookie bw_session",
      description:
        "The cookie is HttpOnly and SameSite=Strict and works on this API alone. The login ends when it is not used for 8 hours, after 7 days, at log-out, when the key is revoked and when the host stops.",
      body: { schema: order({ key: said("A key of this host, or a token of its issuer") }) },
      answers: [{ text: "Who the key makes its holder", schema: ref("Session") }],
      refusals: ["unauthenticated", "rate_limited", "evidence_unavailable"],
      open: true,
    },
    "POST /v1/auth/logout": {
      id: "logout",
      summary: "End the login of this cookie",
      body: { schema: anyObject, isOptional: true },
      description: "It ends its streams and the runs of the agent that were begun with it.",
      answers: [{ text: "Whether there was one", schema: object({ ended: flag }) }],
      refusals: ["evidence_unavailable"],
    },
    "GET /v1/auth/session": {
      id: "getSession",
      summary: "Who the caller is here",
      answers: [{ text: "The caller", schema: ref("Session") }],
    },
    "GET /v1/events": {
      id: "followEvents",
      summary: "What happens in the workspace, while it happens",
      description: EVENTS,
      headers: { "Last-Event-ID": said("The last event that was heard: those after it come first") },
      answers: [{ text: "A stream that goes on", type: "text/event-stream", schema: text }],
      refusals: ["bad_request", "rate_limited"],
    },
    "GET /v1/openapi.json": {
      id: "getOpenApi",
      summary: "This description",
      answers: [{ text: "OpenAPI 3.1", schema: anyObject }],
    },
    "GET /v1/schema/bailiwick.json": {
      id: "getConfigSchema",
      summary: "The JSON Schema of the configuration",
      answers: [{ text: "A JSON Schema", schema: anyObject }],
      open: true,
    },
  },
  schemas: {
    Health: object({
      status: text,
      "version?": text,
      "uptimeMs?": count,
      "checks?": object({ evidence: text, storage: text, listeners: text }),
      "model?": word("ok", "unconfigured"),
      "bundles?": said("How many are in which state", { type: "object", additionalProperties: count }),
    }),
    Session: object({
      principal: said("As person:owner"),
      kind: word("person", "agent", "service", "bundle", "app"),
      onBehalfOf: orNull(text),
      workspace: text,
      roles: list(text),
      permissions: list(text),
      scopes: said("Globs of the tools that the key may name; null: all", orNull(list(text))),
      credential: said("The name of the key"),
      expiresAt: said("When the login ends if it is not used again; null: there is none", orNull(time)),
      noAuth: said("The host was started with --no-auth: whoever reaches it is the local user", flag),
    }),
  },
};
