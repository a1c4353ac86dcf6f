/**
 * The groups of a package, and its tools with the groups they are in. What is wrong with a group never makes a tool of it
 * active: then nobody could have meant that.
 */
import { quote, type Diagnostics } from "./diagnostics.ts";
import type { Written } from "./read-tools-file.ts";
import { isMapping, isTextList } from "./shapes.ts";
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
  readonly found: Diagnostics;
}

interface Draft {
  readonly name: string;
  readonly description: string | null;
  readonly defaultActive: boolean;
  readonly members: Set<string>;
}

const KEYS: ReadonlySet<string> = new Set(["name", "description", "tools", "default_active"]);

export const checkGroups = ({ tools, names, groups, found }: GroupsWritten): GroupsRead => {
  const drafts = new Map<string, Draft>();
  groups.forEach((written, i) => addGroup(drafts, draftOf(written, i, found), { written, names, found }));
  for (const { name, groups: own } of tools) {
    for (const group of own) {
      const draft = drafts.get(group) ?? { name: group, description: null, defaultActive: false, members: new Set() };
      drafts.set(group, draft);
      draft.members.add(name);
    }
  }
  const grouped = [...drafts.values()];
  return {
    tools: tools.map((tool) => {
      const within = grouped.filter(({ members }) => members.has(tool.name)).map(({ name }) => name);
      return { ...tool, groups: within };
    }),
    groups: grouped.map(({ members, ...group }) => ({
      ...group,
      tools: tools.filter(({ name }) => members.has(name)).map(({ name }) => name),
    })),
  };
};

const addGroup = (
  drafts: Map<string, Draft>,
  draft: Draft,
  {
    written,
    names,
    found,
  }: { readonly written: Written; readonly names: ReadonlySet<string>; readonly found: Diagnostics },
): void => {
  const earlier = drafts.get(draft.name);
  if (earlier !== undefined) {
    const message = `There is a group ${quote(draft.name)} before it, to which its tools are added.`;
    found.add({
      reason: "invalid_tool",
      place: written.place("name"),
      message,
      fix: "Make one group of both.",
      warning: true,
    });
    for (const tool of draft.members) earlier.members.add(tool);
  } else drafts.set(draft.name, draft);
  [...draft.members].forEach((tool, i) => {
    if (names.has(tool)) return;
    const message = `The group ${quote(draft.name)} names ${quote(tool)}, and there is no such tool.`;
    found.add({
      reason: "invalid_tool",
      tool,
      place: written.place("tools", i),
      message,
      fix: "Take it out.",
      warning: true,
    });
  });
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
  for (const key of Object.keys(given).filter((each) => !KEYS.has(each))) {
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
  if (tools !== null && !isTextList(tools))
    wrong("tools", "tools has to be a list of names.", "Write the names as a list.");
  if (active !== null && typeof active !== "boolean") {
    wrong("default_active", "default_active has to be true or false, and counts as false.", "Write true or false.");
  }
  return {
    name: isNamed ? name : fallback,
    description: typeof description === "string" ? description : null,
    defaultActive: active === true && fault === null,
    members: new Set(Array.isArray(tools) ? tools.filter((each) => typeof each === "string") : []),
  };
};
