/**
 * The groups of a package, and its tools with the groups they are in. What is wrong with a group never makes a tool of it
 * active: then nobody could have meant that. Where it cannot be told which tools a group has, it may have any of them.
 */
import { nearest } from "@bailiwick/contract";
import { quote, type Diagnostics } from "./diagnostics.ts";
import type { Written } from "./read-tools-file.ts";
import { isMapping, readTexts } from "./shapes.ts";
import type { PackageGroup, PackageTool } from "./skill-package.ts";

interface GroupsRead {
  readonly tools: readonly PackageTool[];
  readonly groups: readonly PackageGroup[];
}

interface GroupsWritten {
  readonly tools: readonly PackageTool[];
  /** Of every entry with a name, served or not. */
  readonly names: ReadonlySet<string>;
  readonly groups: readonly Written[];
  /** False: there may be groups that could not be read. */
  readonly groupsWhole: boolean;
  readonly found: Diagnostics;
}

interface Draft {
  readonly name: string;
  readonly description: string | null;
  defaultActive: boolean;
  readonly members: Set<string>;
  /** False: it may have other tools too. */
  readonly whole: boolean;
}

const KEYS: ReadonlySet<string> = new Set(["name", "description", "tools", "default_active"]);

export const checkGroups = ({ tools, names, groups, groupsWhole, found }: GroupsWritten): GroupsRead => {
  const drafts = new Map<string, Draft>();
  const alike = Map.groupBy(names, plain);
  const read = groups.map((written, i) => draftOf(written, i, found));
  groups.forEach((written, i) => addGroup(drafts, read[i] as Draft, { written, names, alike, found }));
  const isWhole = groupsWhole && read.every(({ whole }) => whole);
  for (const { name, groups: own } of tools) {
    for (const group of own) {
      const draft = drafts.get(group) ?? { ...EMPTY, name: group, members: new Set() };
      drafts.set(group, draft);
      draft.members.add(name);
    }
  }
  const grouped = [...drafts.values()];
  return {
    tools: tools.map((tool) => {
      const within = grouped.filter(({ members }) => members.has(tool.name)).map(({ name }) => name);
      return { ...tool, groups: within, hasUnreadGroup: tool.hasUnreadGroup || !isWhole };
    }),
    groups: grouped.map(({ name: group, description, defaultActive, members }) => ({
      name: group,
      description,
      tools: tools.filter(({ name }) => members.has(name)).map(({ name }) => name),
      defaultActive,
    })),
  };
};

const EMPTY = { description: null, defaultActive: false, whole: true };

/** As the name of a script may stand for the name of a tool. */
const plain = (name: string): string => name.replaceAll("-", "_");

interface Place {
  readonly written: Written;
  readonly names: ReadonlySet<string>;
  readonly alike: ReadonlyMap<string, readonly string[]>;
  readonly found: Diagnostics;
}

const addGroup = (drafts: Map<string, Draft>, draft: Draft, { written, names, alike, found }: Place): void => {
  const tell = (keys: readonly (string | number)[], message: string, fix: string, tool: string | null = null): void =>
    found.add({ reason: "invalid_tool", tool, place: written.place(...keys), message, fix, warning: true });
  const earlier = drafts.get(draft.name);
  if (earlier !== undefined) {
    const message = `There is a group ${quote(draft.name)} before it, to which its tools are added.`;
    tell(["name"], message, "Make one group of both.");
    earlier.defaultActive &&= draft.defaultActive;
  }
  const { members } = earlier ?? { members: new Set<string>() };
  [...draft.members].forEach((tool, i) => {
    const meant = names.has(tool) ? [tool] : (alike.get(plain(tool)) ?? []);
    for (const name of meant) members.add(name);
    if (meant.length > 0) return;
    const message = `The group ${quote(draft.name)} names ${quote(tool)}, and there is no such tool.`;
    tell(["tools", i], message, "Take it out.", tool);
  });
  if (earlier === undefined) drafts.set(draft.name, { ...draft, members });
};

const draftOf = (written: Written, index: number, found: Diagnostics): Draft => {
  const { value, fault } = written;
  const wrong = (key: string | null, message: string, fix: string): void =>
    found.add({ reason: "invalid_tool", place: key === null ? written.place() : written.place(key), message, fix });
  const fallback = `group-${index}`;
  const given = isMapping(value) ? value : {};
  if (!isMapping(value))
    wrong(null, "A group is a mapping with a name and tools.", "Write {name, tools, default_active}.");
  if (fault !== null)
    wrong(null, `The group cannot be read: ${fault.pointer} ${fault.message}.`, `Mend line ${fault.line}.`);
  const strange = Object.keys(given).filter((each) => !KEYS.has(each));
  for (const key of strange) {
    const place = written.place(key);
    const message = `The key ${quote(key)} of a group means nothing.`;
    found.add({ reason: "invalid_tool", place, message, fix: `Take ${quote(key)} out.`, warning: true });
  }
  const { name, description = null, tools = null, default_active: active = null } = given;
  const isNamed = typeof name === "string" && name !== "";
  if (isMapping(value) && !isNamed)
    wrong(null, `The group has no name, and counts as ${fallback}.`, 'Give it "name:".');
  if (description !== null && typeof description !== "string") {
    wrong("description", "description has to be a text.", "Write a text for description.");
  }
  const members = tools === null ? [] : readTexts(tools);
  if (members === null) wrong("tools", "tools has to be a list of names.", "Write the names as a list.");
  if (active !== null && typeof active !== "boolean") {
    wrong("default_active", "default_active has to be true or false, and counts as false.", "Write true or false.");
  }
  return {
    name: isNamed ? name : fallback,
    description: typeof description === "string" ? description : null,
    defaultActive: active === true && fault === null,
    members: new Set(members ?? (Array.isArray(tools) ? tools.filter((each) => typeof each === "string") : [])),
    whole: isMapping(value) && fault === null && members !== null && !strange.some(meansTools),
  };
};

const meansTools = (key: string): boolean => nearest(key.toLowerCase(), ["tools"], 2) !== null;
