/** Keys of callers, the host's signing keys, and the policy. */
import type { Family } from "./described.ts";
import { anyObject, list, object, order, orNull, ref, said, text, time, word } from "./schema.ts";

export const KEYS: Family = {
  tag: "keys",
  routes: {
    "GET /v1/keys": {
      id: "listKeys",
      summary: "Named keys, without their secrets; needs keys:manage",
      answers: [{ text: "Those there are", schema: object({ keys: list(ref("Key")) }) }],
      refusals: ["permission_missing"],
    },
    "POST /v1/keys": {
      id: "createKey",
      summary: "Make a key; needs keys:manage",
      body: {
        schema: order({
          name: text,
          "as?": said("The principal it acts as"),
          "for?": said("The person it acts for"),
          "workspace?": text,
          "scopes?": said("Globs of tools that it may name", list(text)),
          "permissions?": list(text),
        }),
      },
      answers: [
        { status: 201, text: "The secret, shown this once", schema: object({ secret: text, key: ref("Key") }) },
      ],
      refusals: ["permission_missing", "name_taken", "evidence_unavailable"],
    },
    "DELETE /v1/keys/*": {
      id: "revokeKey",
      summary: "Revoke a key; needs keys:manage",
      at: ["name"],
      answers: [{ text: "The revoked key", schema: object({ key: ref("Key") }) }],
      refusals: ["permission_missing", "evidence_unavailable"],
    },
    "GET /v1/host-key": {
      id: "listHostKeys",
      summary: "The keys that the host signs with; needs keys:manage",
      answers: [{ text: "The current one first", schema: object({ keys: list(ref("HostKey")) }) }],
      refusals: ["permission_missing"],
    },
    "POST /v1/host-key/rotate": {
      id: "rotateHostKey",
      summary: "Sign with a new key from now on; needs keys:manage",
      body: { schema: anyObject, isOptional: true },
      answers: [{ text: "The new key", schema: object({ key: ref("HostKey") }) }],
      refusals: ["permission_missing", "evidence_unavailable"],
    },
    "POST /v1/host-key/revoke": {
      id: "revokeHostKey",
      summary: "Publish that a key of the host is not to be trusted; needs keys:manage",
      body: { schema: object({ keyId: { type: "string", pattern: "^[0-9a-f]{16}$" }, reason: text }) },
      answers: [{ text: "The revoked key", schema: object({ key: ref("HostKey") }) }],
      refusals: ["permission_missing", "evidence_unavailable"],
    },
    "GET /v1/policy": {
      id: "getPolicy",
      summary: "The policy in force in the workspace; needs policy:read",
      answers: [{ text: "Rules and what is wrong with them", schema: ref("Policy") }],
      refusals: ["permission_missing"],
    },
  },
  schemas: {
    Key: object({
      name: text,
      as: text,
      for: orNull(text),
      scopes: orNull(list(text)),
      permissions: list(text),
      workspace: text,
      createdAt: time,
      revokedAt: orNull(time),
    }),
    HostKey: object({
      key_id: text,
      public_key: said("Base64"),
      state: word("current", "former", "revoked"),
      since: time,
      "reason?": text,
    }),
    Policy: object({
      mode: word("enforce", "audit"),
      digest: text,
      rules: list(object({ id: text, effect: text, source: text, rule: anyObject })),
      diagnostics: list(object({ severity: word("error", "warning"), where: text, message: text })),
    }),
  },
};
