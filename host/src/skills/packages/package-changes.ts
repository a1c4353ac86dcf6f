/** How a package on disk differs from what was accepted of it. Pure. */
import type { RawJson } from "../../kernel/raw-json.ts";
import type { PackageChanges } from "../../kernel/skill-admin.ts";
import { toolDigest } from "./list-tool.ts";
import type { AcceptedPackage } from "./package-pins.ts";
import { isMapping, isTextList } from "./shapes.ts";
import type { SkillPackage } from "./skill-package.ts";

export const packageChanges = (found: SkillPackage, accepted: AcceptedPackage): PackageChanges => {
  const flat = (tool: string): string => `${found.name}__${tool}`;
  const before = new Map([...accepted.tools].map(([name, { own }]) => [flat(name), own]));
  const now = new Map(found.tools.map((tool) => [flat(tool.name), toolDigest(found, tool)]));
  const required = found.tools.map(({ name, required: after }) => {
    const known = accepted.tools.get(name);
    return { tool: flat(name), before: known === undefined ? [] : requiredIn(known.json), after };
  });
  return {
    tools: differences(before, now),
    required: required.filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after)),
    files: differences(accepted.files, found.files),
  };
};

type Digests = ReadonlyMap<string, string>;

const differences = (before: Digests, now: Digests): PackageChanges["files"] => ({
  added: [...now.keys()].filter((name) => !before.has(name)),
  changed: [...now].filter(([name, digest]) => before.has(name) && before.get(name) !== digest).map(([name]) => name),
  removed: [...before.keys()].filter((name) => !now.has(name)),
});

/** As it was listed. */
const requiredIn = (json: RawJson): readonly string[] => {
  const { _meta: meta } = JSON.parse(json) as Record<string, unknown>;
  const dcc = isMapping(meta) ? meta["dcc"] : null;
  const required = isMapping(dcc) ? dcc["required_capabilities"] : null;
  return isTextList(required) ? required : [];
};
