/** A package at one moment, and how people see it. */
import type { PackageChanges, PackageDetail, PackageDiagnostic, SkillSeen } from "../../kernel/skill-admin.ts";
import { unionRequirements, type ToolRequirement } from "../union-requirements.ts";
import { activeGroups } from "./list-package.ts";
import type { PackageListing } from "./package-listing.ts";
import type { SkillPackage } from "./skill-package.ts";

export interface PackageRow {
  readonly found: SkillPackage;
  readonly state: SkillSeen["state"];
  /** Why it is not ready; null: it is. */
  readonly reason: string | null;
  readonly diagnostics: readonly PackageDiagnostic[];
  readonly listing: PackageListing;
  /** The digest that somebody accepted. */
  readonly accepted: string | null;
}

export type RequirementsByName = ReadonlyMap<string, ToolRequirement>;

export const seeRow = (row: PackageRow, requirements: RequirementsByName): SkillSeen => {
  const { found, state, reason, diagnostics, listing } = row;
  const { name, description, source, dcc, allowedTools } = found;
  const tools = listing.tools.map((tool) => `${name}__${tool.name}`);
  return {
    name,
    kind: "package",
    type: "skill",
    priority: 50,
    description,
    source,
    dcc,
    tools,
    ...(allowedTools === null ? {} : { allowed_tools: allowedTools }),
    ...unionRequirements(tools.flatMap((flat) => requirements.get(flat) ?? [])),
    state,
    reason,
    diagnostics,
  };
};

interface DetailParts {
  readonly requirements: RequirementsByName;
  readonly granted: readonly string[];
  readonly switchedOn: readonly string[];
  readonly changes: PackageChanges | null;
  readonly logs: readonly string[];
}

export const detailRow = (row: PackageRow, parts: DetailParts): PackageDetail => {
  const { found, accepted } = row;
  const active = activeGroups(found, parts.switchedOn);
  return {
    ...seeRow(row, parts.requirements),
    version: found.usable ? found.version : null,
    digest: found.digest,
    accepted,
    changes: parts.changes,
    env: found.env.map((name) => ({ name, granted: parts.granted.includes(name) })),
    groups: found.groups.map(({ name, tools }) => ({ name, active: active.has(name), tools })),
    logs: parts.logs,
    metadata: { ...found.carried, "search-aliases": found.searchAliases },
  };
};
