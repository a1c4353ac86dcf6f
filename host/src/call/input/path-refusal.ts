/** The "no" to a path that cannot be used. It names the path as it was given and roots by name, never a folder of the host. */
import type { ResolveFault, WorkspaceResolveError } from "@bailiwick/contract";
import { Refusal } from "../../kernel/refusal.ts";
import type { RootList } from "../../kernel/roots.ts";

const MAX_PATH = 4_096;
const MAX_TOLD = 200;
const MAX_NAMES = 10;

const NEXT: Readonly<Record<Exclude<ResolveFault, "unknown_root">, string>> = {
  no_workspace_roots:
    "Open a project folder in the client, or ask the operator to list folders in capabilities.roots.list; files__roots tells what there is.",
  invalid_path: "Write the path as workspace://folder/name and call again.",
  path_outside_roots: "Use a path inside a root, such as workspace://folder/name; files__roots lists the roots.",
  unsupported_scheme: "Write the path as workspace://folder/name, or give the tool a file that lies in a root.",
};

export const pathRefusal = (
  tool: string,
  { kind, message, path, root }: WorkspaceResolveError,
  roots: RootList,
): Refusal =>
  new Refusal(kind, {
    message: kind === "no_workspace_roots" ? message : `${tool} cannot use the path ${quote(path)}: ${message}.`,
    next: kind === "unknown_root" ? chooseRoot(roots) : NEXT[kind],
    details: { path: path.slice(0, MAX_PATH), ...(root === null ? {} : { root: root.slice(0, MAX_TOLD) }) },
  });

const chooseRoot = ({ rows }: RootList): string => {
  const names = rows.flatMap(({ name, path }) =>
    name === null || path === null ? [] : [`workspace://@${encodeURIComponent(name)}/`],
  );
  if (names.length === 0) return "Leave the root's name out: workspace://folder/name is in the first root.";
  return `Begin the path with ${names.slice(0, MAX_NAMES).join(" or ")}; files__roots lists the roots.`;
};

const quote = (text: string): string =>
  JSON.stringify(text.length <= MAX_TOLD ? text : `${text.slice(0, MAX_TOLD)}...`);
