/** What the host offers its tools, and the skills of the workspace. */
import type { Family } from "./described.ts";
import { count, flag, list, number, object, order, orNull, ref, said, text, word } from "./schema.ts";

const NAMES = list(text);

export const ENVIRONMENT: Family = {
  tag: "environment",
  routes: {
    "GET /v1/host/capabilities": {
      id: "getCapabilities",
      summary: "The environment capabilities that the host declares",
      answers: [
        {
          text: "For all providers, and what is added for one",
          schema: object({ declared: NAMES, providers: { type: "object", additionalProperties: NAMES } }),
        },
      ],
    },
    "PUT /v1/host/capabilities": {
      id: "setCapabilities",
      summary: "Declare others from now on; needs host:admin",
      body: {
        schema: order({
          declared: NAMES,
          "before?": said("The list that this one was made from: refused if it is another one by now", NAMES),
        }),
      },
      answers: [{ text: "What is different", schema: object({ before: NAMES, after: NAMES, persisted: flag }) }],
      refusals: ["permission_missing", "stale_surface", "evidence_unavailable"],
    },
    "GET /v1/roots": {
      id: "listRoots",
      summary: "The folders that tools may work in",
      answers: [
        {
          text: "Those there are",
          schema: object({
            profile: text,
            supports_roots: flag,
            count,
            roots: list(object({ name: orNull(text), uri: orNull(text), usable: flag, "reason?": text })),
          }),
        },
      ],
    },
    "POST /v1/roots/resolve": {
      id: "resolvePath",
      summary: "Where a path leads; needs host:admin",
      body: { schema: order({ path: text }) },
      answers: [{ text: "The place", schema: object({ path: text, resolved: {} }) }],
      refusals: [
        "permission_missing",
        "no_workspace_roots",
        "invalid_path",
        "path_outside_roots",
        "unknown_root",
        "unsupported_scheme",
      ],
    },
    "GET /v1/skills": {
      id: "listSkills",
      summary: "Skills and skill packages",
      query: { satisfied: said("Only those of which no capability is missing", flag), dcc: text },
      answers: [
        {
          text: "Those that the caller may name",
          schema: object({
            skills: list(ref("Skill")),
            warnings: said("About files that were skipped, for those who manage bundles", NAMES),
          }),
        },
      ],
    },
    "GET /v1/skills/*": {
      id: "getSkill",
      summary: "One skill, in full",
      at: ["name"],
      answers: [{ text: "The skill", schema: ref("Skill") }],
    },
    "POST /v1/skills/*/accept": {
      id: "acceptPackage",
      summary: "Say yes to a skill package that was changed; for persons with bundles:manage",
      at: ["name"],
      body: {
        schema: order({ digest: said("Of what was looked at", { type: "string", pattern: "^sha256:[0-9a-f]{64}$" }) }),
      },
      answers: [{ text: "The package", schema: ref("Skill") }],
      refusals: ["permission_missing", "escalation_required", "stale_surface", "evidence_unavailable"],
    },
    "POST /v1/skills/match": {
      id: "matchSkill",
      summary: "Which skill a message would match and why; nothing runs",
      body: {
        schema: order({
          message: text,
          "skill?": said("A name; false: none", orNull({ type: ["string", "boolean"] })),
        }),
      },
      answers: [{ text: "The match and what came close", schema: ref("SkillMatching") }],
      refusals: ["permission_missing"],
    },
  },
  schemas: {
    Skill: object({
      name: text,
      kind: word("skill", "package"),
      type: word("skill", "context"),
      priority: number,
      source: text,
      description: text,
      available: flag,
      state: word("ready", "held", "broken", "unavailable"),
      "reason?": text,
      "server?": said("The provider that supplied it"),
      tools: NAMES,
      "allowed_tools?": NAMES,
      required_capabilities: NAMES,
      missing_capabilities: NAMES,
    }),
    SkillMatched: object({ name: text, phase: word("explicit", "trigger", "keywords"), matched: NAMES }),
    SkillMatching: object({
      skill: orNull(ref("SkillMatched")),
      allowedTools: orNull(NAMES),
      candidates: list(
        object({ name: text, source: text, available: flag, "reason?": text, triggers: NAMES, keywords: NAMES }),
      ),
      warnings: NAMES,
    }),
  },
};
