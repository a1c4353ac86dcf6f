/** What of a package is listed and may run, given what was accepted of it and which groups somebody switched on. Pure. */
import type { ListedTool } from "../../kernel/provider.ts";
import { barredBy, listHeld, listTool, type Runners } from "./list-tool.ts";
import type { PackageListing } from "./package-listing.ts";
import type { AcceptedPackage } from "./package-pins.ts";
import type { PackageTool, SkillPackage } from "./skill-package.ts";

export interface ListingTerms {
  /** Null: nobody has accepted anything of it. */
  readonly accepted: AcceptedPackage | null;
  /** Groups that the configuration switches on. */
  readonly switchedOn: readonly string[];
  readonly runners: Runners;
}

/** What is on disk is what was accepted. */
export const isAccepted = ({ digest }: Pick<SkillPackage, "digest">, accepted: AcceptedPackage | null): boolean =>
  digest !== null && accepted?.digest === digest;

export const listPackage = (found: SkillPackage, terms: ListingTerms): PackageListing => {
  const { dir, version, tools } = found;
  const { accepted } = terms;
  if (!isAccepted(found, accepted)) {
    const held = tools.map((tool) => listHeld(tool.name, accepted));
    return { tools: held, byName: new Map(), dir, version };
  }
  const active = activeGroups(found, terms.switchedOn);
  return {
    tools: tools.map((tool) => withBar(listTool(found, tool), barOf(found, tool, { active, runners: terms.runners }))),
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    dir,
    version,
  };
};

/** What is listed while nothing of it can be said to be what was accepted. */
export const holdListing = (listing: PackageListing, accepted: AcceptedPackage | null): PackageListing => ({
  ...listing,
  tools: listing.tools.map(({ name }) => listHeld(name, accepted)),
  byName: new Map(),
});

/** Of the configuration, in which a package may be named like anything. */
export const groupsOf = (all: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] =>
  Object.hasOwn(all, name) ? (all[name] ?? []) : [];

export const activeGroups = ({ groups }: SkillPackage, switchedOn: readonly string[]): ReadonlySet<string> =>
  new Set(groups.filter((group) => group.defaultActive || switchedOn.includes(group.name)).map(({ name }) => name));

const barOf = (
  { name }: SkillPackage,
  { groups, kind, hasUnreadGroup }: PackageTool,
  { active, runners }: { readonly active: ReadonlySet<string>; readonly runners: Runners },
): ListedTool["barred"] | null => {
  const [group] = groups;
  if (group === undefined && hasUnreadGroup) {
    const next = `Mend what is said of its groups in tools.yaml: bailiwick skill info ${name}`;
    return { state: "disabled", reason: "group_unreadable", next };
  }
  if (group === undefined || groups.some((each) => active.has(each))) return barredBy(kind, runners);
  const next = `Add ${JSON.stringify(group)} to capabilities.groups.${name} in bailiwick.json.`;
  return { state: "disabled", reason: "group_inactive", next };
};

const withBar = (tool: ListedTool, barred: ListedTool["barred"] | null): ListedTool =>
  barred === null || barred === undefined ? tool : { ...tool, barred };
