/** Which versions of one content a strategy means. Pure. */
import { ComposeError } from "../compose-error.ts";
import type { StoredVersion } from "./stored-version.ts";

/** `versions` are oldest first, and so are those that are picked. */
export type Pick = (versions: readonly StoredVersion[]) => readonly StoredVersion[];

const newest: (wanted: (version: StoredVersion) => boolean) => Pick = (wanted) => (versions) => {
  const found = versions.findLast(wanted);
  return found === undefined ? [] : [found];
};

const NAMED: Readonly<Record<string, Pick>> = {
  latest: newest(() => true),
  all: (versions) => versions,
  approved_only: newest(({ approved }) => approved),
};

export const readStrategy = (strategy: string): Pick => {
  if (Object.hasOwn(NAMED, strategy)) return NAMED[strategy]!;
  const [, kind, value = ""] = /^(version|timestamp):(.+)$/.exec(strategy) ?? [];
  if (kind === "version") return newest(({ version_id: id }) => id === value);
  if (kind === "timestamp") return newest(({ timestamp }) => timestamp.startsWith(value));
  throw new ComposeError("invalid_input", `There is no strategy ${JSON.stringify(strategy.slice(0, 100))}.`, {
    strategy: strategy.slice(0, 100).toWellFormed(),
    next: "Use latest, all, approved_only, version:<version_id> or timestamp:<prefix>.",
  });
};
