/** Bundles, which people know as apps: seen, installed, started and stopped. */
import { OF_A_CALL, type Family } from "./described.ts";
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

const STATUS = word("starting", "running", "crashed", "dead", "stopped", "refused");
const AT = ["name"];
const MANAGED = ["permission_missing", "evidence_unavailable"] as const;
const BY_PERSON = [...MANAGED, "escalation_required"] as const;

const change = (wanted: "start" | "stop" | "restart"): Family["routes"][string] => ({
  id: `${wanted}App`,
  summary: `${wanted[0]?.toUpperCase()}${wanted.slice(1)} a bundle; needs bundles:manage`,
  at: AT,
  body: { schema: anyObject, isOptional: true },
  answers: [{ text: "The state it is in then", schema: object({ name: text, status: STATUS }) }],
  refusals: MANAGED,
});

export const BUNDLES: Family = {
  tag: "apps",
  routes: {
    "GET /v1/providers": {
      id: "listProviders",
      summary: "All that can be listed and called, with its state",
      answers: [
        {
          text: "Those that the caller may name",
          schema: object({ providers: list(object({ name: text, status: anyObject, tools: count })) }),
        },
      ],
    },
    "GET /v1/apps": {
      id: "listApps",
      summary: "The bundles of the workspace",
      answers: [{ text: "Those that the caller may name", schema: object({ apps: list(ref("App")) }) }],
    },
    "GET /v1/apps/*": {
      id: "getApp",
      summary: "One bundle, with what there is to know before trusting it",
      at: AT,
      answers: [{ text: "The bundle", schema: ref("AppDetail") }],
    },
    "POST /v1/apps/install": {
      id: "installApp",
      summary: "Install a bundle; for persons with bundles:manage",
      description:
        "With Accept: text/event-stream the answer is a stream: `progress` {message, bytes?, total?}, then exactly one `done` (the app) or `error`.",
      body: {
        schema: said("An entry of the configuration, with exactly one of name, path and url", {
          type: "object",
          properties: { name: text, path: text, url: text },
          oneOf: [{ required: ["name"] }, { required: ["path"] }, { required: ["url"] }],
        }),
      },
      answers: [
        { status: 201, text: "The bundle, running", schema: ref("App") },
        { text: "The progress and the end", type: "text/event-stream", schema: text },
      ],
      refusals: [
        ...BY_PERSON,
        "credentials_required",
        "already_installed",
        "name_taken",
        "install_refused",
        "not_ready",
      ],
    },
    "DELETE /v1/apps/*": {
      id: "uninstallApp",
      summary: "Remove a bundle and keep its data; for persons with bundles:manage",
      at: AT,
      answers: [
        {
          text: "Where its data is",
          schema: object({ name: text, uninstalled: flag, dataPreserved: flag, dataPath: text }),
        },
      ],
      refusals: [...BY_PERSON, "protected"],
    },
    "POST /v1/apps/*/start": change("start"),
    "POST /v1/apps/*/stop": change("stop"),
    "POST /v1/apps/*/restart": change("restart"),
    "POST /v1/apps/*/accept": {
      id: "acceptDefinitions",
      summary: "Say yes to definitions that are held; for persons with bundles:manage",
      at: AT,
      body: {
        schema: order({
          "tools?": said("Their own names; absent: all that is held", orNull(list(text))),
          offered: said("`offered` of each definition that was looked at", list(text)),
        }),
      },
      answers: [{ text: "What was accepted", schema: object({ name: text, accepted: list(ref("HeldDefinition")) }) }],
      refusals: [...BY_PERSON, "stale_surface"],
    },
    "POST /v1/apps/*/configure": {
      id: "configureApp",
      summary: "Store values of its user_config; for persons with bundles:manage",
      at: AT,
      body: { schema: order({ values: said("By key; null takes a value out", anyObject) }) },
      answers: [{ text: "Which were stored", schema: object({ name: text, stored: list(text), status: STATUS }) }],
      refusals: BY_PERSON,
    },
    "GET /v1/apps/*/logs": {
      id: "getAppLogs",
      summary: "The last lines that its server wrote; needs bundles:manage",
      at: AT,
      answers: [{ text: "Oldest first", schema: object({ lines: list(text) }) }],
      refusals: ["permission_missing"],
    },
    "GET /v1/apps/*/resources/**": {
      id: "readAppResource",
      summary: "One resource of a bundle, as JSON and never as a page",
      description: "`uri` is percent-encoded, or the word `primary` for the bundle's primary view.",
      at: ["name", "uri"],
      answers: [{ text: "The resource", schema: ref("Resource") }],
      refusals: OF_A_CALL,
    },
    "GET /v1/bundles/search": {
      id: "searchBundles",
      summary: "Bundles of the registries; needs bundles:manage",
      query: { q: { type: "string", maxLength: 200 }, limit: between(1, 100) },
      answers: [
        {
          text: "What was found, and which registries could not be asked",
          schema: object({
            bundles: list(ref("BundleFound")),
            unreachable: list(object({ registry: text, reason: text })),
          }),
        },
      ],
      refusals: ["permission_missing"],
    },
    "POST /v1/reload": {
      id: "reloadConfig",
      summary: "Read the configuration again; needs bundles:manage",
      body: { schema: anyObject, isOptional: true },
      answers: [
        {
          text: "What is different now",
          schema: object({
            added: list(text),
            removed: list(text),
            changed: list(text),
            needRestart: list(text),
            warnings: list(text),
          }),
        },
      ],
      refusals: MANAGED,
    },
  },
  schemas: {
    App: object({
      name: text,
      bundleName: orNull(text),
      version: orNull(text),
      source: word("name", "path", "url", "built-in"),
      status: STATUS,
      health: word("ok", "degraded", "down"),
      since: number,
      uptimeMs: number,
      restartsInWindow: count,
      lastExit: orNull(text),
      lastError: orNull(text),
      toolCount: count,
      heldTools: count,
      trustScore: orNull(number),
      protected: flag,
      ui: orNull(anyObject),
      placements: list(anyObject),
      sandbox: orNull(word("bwrap", "off")),
      warnings: list(text),
      "reason?": text,
      "next?": text,
      "refusal?": object({ code: text, "message?": text, "data?": anyObject }),
    }),
    AppDetail: {
      allOf: [
        ref("App"),
        object({
          origin: orNull(text),
          digest: orNull(text),
          certificationLevel: orNull(text),
          extensions: list(text),
          dataPath: orNull(text),
          tools: list(object({ name: text, "held?": text })),
          userConfig: list(object({ key: text, title: text, required: flag, sensitive: flag, isSet: flag })),
          held: list(ref("HeldDefinition")),
        }),
      ],
    },
    HeldDefinition: object({
      tool: said("Null: the server's instructions", orNull(text)),
      reason: word("definition_changed", "definition_new"),
      accepted: orNull(text),
      offered: text,
      before: orNull(anyObject),
      after: anyObject,
    }),
    BundleFound: object({
      name: text,
      version: orNull(text),
      description: orNull(text),
      registry: text,
      trustScore: orNull(number),
      certificationLevel: orNull(text),
      installed: flag,
      tools: list(text),
    }),
    Resource: object({ uri: text, "mimeType?": text, "text?": text, "blob?": text, "_meta?": anyObject }),
  },
};
