/** Stand-ins for what lies behind the routes of capabilities, skills and roots; they write down what they are asked. */
import { WorkspaceResolveError } from "@bailiwick/contract";
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
  env: [{ name: "SECRET_OF_P", granted: true }],
  groups: [],
  logs: ["secret of p"],
};

const SKILL: SkillSeen = {
  name: "guide",
  kind: "skill",
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
  count: 2,
  rows: [
    { name: "project", uri: "file:///secret/project", path: "/secret/project", reason: null },
    { name: "gone", uri: "file:///secret/gone", path: null, reason: "/secret/gone is no folder." },
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

/** The package `p`, which can be accepted, and the skill `guide`. */
export const standInGates = (): StandInGates => {
  const told: string[] = [];
  let declared: readonly string[] = ["scene.read"];
  const { env: _env, logs: _logs, ...seen } = PACKAGE;
  return {
    told,
    environment: {
      declared: () => ({ declared, providers: { p: ["usd"], q: ["viewport"] } }),
      declare: async (names, by) => {
        told.push(`declare ${names.join(",")} by ${by}`);
        const before = declared;
        declared = names;
        return { before, after: names, persisted: true };
      },
    },
    skills: {
      list: (workspace, { satisfied = false, dcc } = {}) => {
        told.push(`list ${workspace}`);
        return [seen, SKILL].filter(
          (skill) =>
            (!satisfied || skill.missing_capabilities.length === 0) && (dcc === undefined || skill.dcc === dcc),
        );
      },
      get: (_, name) => [PACKAGE, SKILL].find((skill) => skill.name === name) ?? null,
      accept: async (name, digest, { by }) => {
        if (name !== "p") throw new Refusal("not_found", { message: "No such package.", next: "List them." });
        told.push(`accept ${name} ${digest} by ${by}`);
        return { ...PACKAGE, state: "ready", reason: null, accepted: digest };
      },
    },
    roots: () => ROOTS,
  };
};
