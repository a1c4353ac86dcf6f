/** Stand-ins for what lies behind the routes of capabilities, skills and roots; they write down what they are asked. */
import { WorkspaceResolveError } from "@bailiwick/contract";
import { mayName } from "../kernel/may-name.ts";
import type { Principal } from "../kernel/principal.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { RootList } from "../kernel/roots.ts";
import type { PackageDetail, SkillSeen } from "../kernel/skill-admin.ts";
import type { ListenerDeps } from "./listener-deps.ts";

export interface StandInGates extends Pick<ListenerDeps, "environment" | "skills" | "roots"> {
  /** As `declare usd by person:owner`. */
  readonly told: string[];
}

export const DIGEST = `sha256:${"0".repeat(64)}`;

const PACKAGE: PackageDetail = {
  name: "p",
  kind: "package",
  type: "skill",
  priority: 50,
  description: "A package.",
  source: "config",
  dcc: "maya",
  tools: ["p__run", "p__other"],
  required_capabilities: ["usd"],
  missing_capabilities: ["usd"],
  state: "held",
  reason: "It was changed on disk.",
  diagnostics: [
    { reason_code: "invalid_tool", package: "p", tool: "bad", message: "It is bad.", suggested_fix: "Mend it." },
  ],
  version: "1.0.0",
  digest: DIGEST,
  accepted: null,
  changes: {
    tools: { added: [], changed: ["p__run"], removed: [] },
    required: [],
    files: { added: ["secret.py"], changed: [], removed: [] },
  },
  env: [{ name: "SECRET_OF_P", granted: true }],
  groups: [],
  metadata: {},
  logs: ["secret of p"],
};

const SKILL: SkillSeen = {
  name: "guide",
  kind: "skill",
  type: "skill",
  priority: 50,
  description: "How to do it.",
  source: "user",
  dcc: null,
  tools: ["p__run"],
  allowed_tools: ["p__*"],
  required_capabilities: [],
  missing_capabilities: [],
  state: "ready",
  reason: null,
  diagnostics: [],
};

const ROOTS: RootList = {
  profile: "strict",
  supportsRoots: false,
  count: 3,
  rows: [
    { name: "project", uri: "file:///secret/project", path: "/secret/project", reason: null },
    { name: "gone", uri: "file:///secret/gone", path: null, reason: "/secret/gone is no folder." },
    { name: "two", uri: "file:///secret/two", path: null, reason: "another root has this name" },
  ],
  json: rawJson("null"),
  listing: rawJson('{"roots":[]}'),
  digest: null,
  resolve(path) {
    if (path.startsWith("workspace://")) return `/secret/project/${path.slice("workspace://".length)}`;
    if (path === "bug") throw new Error("secret inside");
    throw new WorkspaceResolveError("path_outside_roots", "it lies in no root", { path, root: "project" });
  },
};

const isSeen = ({ scopes }: Principal, { kind, name }: SkillSeen): boolean =>
  scopes === null || mayName(scopes, kind === "package" ? name : "skills");

/** The package `p`, which can be accepted, and the skill `guide`. */
export const standInGates = (): StandInGates => {
  const told: string[] = [];
  let declared: readonly string[] = ["scene.read"];
  const { env: _env, logs: _logs, changes: _changes, ...seen } = PACKAGE;
  return {
    told,
    environment: {
      declared: () => ({ declared, providers: { p: ["usd"], q: ["viewport"] } }),
      declare: async (names, by, from) => {
        told.push(`declare ${names.join(",")} by ${by}${from === undefined ? "" : ` from ${from.join(",")}`}`);
        const before = declared;
        declared = names;
        return { before, after: names, persisted: true };
      },
      turnedAway: ({ kind }, by) => void told.push(`no declare: ${kind} by ${by}`),
    },
    skills: {
      list: async (viewer, { satisfied = false, dcc } = {}) => {
        told.push(`list ${viewer.workspace}`);
        const skills = [seen, SKILL].filter(
          (skill) =>
            isSeen(viewer, skill) &&
            (!satisfied || skill.missing_capabilities.length === 0) &&
            (dcc === undefined || skill.dcc === dcc),
        );
        return { skills, warnings: ["/secret/skills/a.md is skipped: it has no name."] };
      },
      get: async (viewer, name) =>
        [PACKAGE, SKILL].find((skill) => skill.name === name && isSeen(viewer, skill)) ?? null,
      accept: async (name, digest, { by }) => {
        if (name !== "p") throw new Refusal("not_found", { message: "No such package.", next: "List them." });
        told.push(`accept ${name} ${digest} by ${by}`);
        return { ...PACKAGE, state: "ready", reason: null, accepted: digest };
      },
    },
    roots: () => ROOTS,
  };
};
