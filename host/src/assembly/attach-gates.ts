/** What a host in another process offers its tools: declared capabilities, skill packages and roots. */
import type { CapabilitiesChange, DeclaredCapabilities } from "../kernel/environment.ts";
import type { RootsSeen } from "../kernel/roots-seen.ts";
import type { PackageDetail, SkillFilter, SkillSeen } from "../kernel/skill-admin.ts";
import type { SkillRow } from "../kernel/skill-row.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Ask, HostQuestion } from "./ask-host.ts";
import type { Host, SkillControl } from "./host.ts";
import { unknownSkill } from "./unknown-skill.ts";

const DECLARED = "/v1/host/capabilities";

const get = (path: string): HostQuestion => ({ method: "GET", path });
const skillPath = (name: string): string => `/v1/skills/${encodeURIComponent(name)}`;

export const attachGates = (ask: Ask): Pick<Host, "capabilities" | "skills" | "roots"> => ({
  capabilities: {
    list: () => ask<DeclaredCapabilities>(get(DECLARED), "declared", "providers"),
    declare: (declared, before) => {
      const body = { declared, ...(before !== undefined && { before }) };
      return ask<CapabilitiesChange>({ method: "PUT", path: DECLARED, body }, "before", "after", "persisted");
    },
  },
  skills: attachSkills(ask),
  roots: {
    list: () => ask<RootsSeen>(get("/v1/roots"), "profile", "roots"),
    resolve: async (path) => {
      const question: HostQuestion = { method: "POST", path: "/v1/roots/resolve", body: { path } };
      return (await ask<{ resolved: string }>(question, "resolved")).resolved;
    },
  },
});

const attachSkills = (ask: Ask): SkillControl => {
  const list = async (filter: SkillFilter = {}): Promise<readonly SkillSeen[]> => {
    const { skills } = await ask<{ skills: readonly SkillRow[] }>(get(`/v1/skills${queryOf(filter)}`), "skills");
    return skills.map(readRow);
  };
  /** What that host says of other names is about its REST door. */
  const guess = async (name: string, error: unknown): Promise<never> => {
    if (!(error instanceof Refusal) || error.kind !== "not_found") throw error;
    const names = (await list()).map((skill) => skill.name);
    throw names.includes(name) ? error : unknownSkill(name, names);
  };
  return {
    list,
    warnings: async () => {
      const said = await ask<{ skills: unknown; warnings?: readonly string[] }>(get("/v1/skills"), "skills");
      return said.warnings ?? [];
    },
    get: (name) =>
      ask<SkillRow>(get(skillPath(name)), "name", "kind", "tools", "diagnostics").then(readRow, (error: unknown) =>
        guess(name, error),
      ),
    accept: async (name, digest) => {
      const question: HostQuestion = { method: "POST", path: `${skillPath(name)}/accept`, body: { digest } };
      return readRow(await ask<SkillRow<PackageDetail>>(question, "name", "tools", "digest"));
    },
  };
};

const queryOf = ({ satisfied = false, dcc }: SkillFilter): string => {
  const query = new URLSearchParams({ ...(satisfied && { satisfied: "true" }), ...(dcc !== undefined && { dcc }) });
  return query.size === 0 ? "" : `?${query.toString()}`;
};

const readRow = <Skill extends SkillSeen>(row: SkillRow<Skill>): Skill => {
  const { available: _available, reason = null, ...skill } = row;
  return { ...skill, reason } as unknown as Skill;
};
