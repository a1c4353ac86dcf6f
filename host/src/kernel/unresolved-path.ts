/** The "no" to a path that cannot be used. It repeats the path as given and names roots by name, never a folder of the host. */
import type { ResolveFault, WorkspaceResolveError } from "@bailiwick/contract";
import { Refusal } from "./refusal.ts";
import type { RootList } from "./roots.ts";

const MAX_PATH = 4_096;
const MAX_TOLD = 200;
const MAX_NAMES = 10;
const ROOTS = "files__roots and bailiwick roots list tell which roots there are.";

const NEXT: Readonly<Record<Exclude<ResolveFault, "unknown_root">, string>> = {
  no_workspace_roots: `Open a project folder in the client, or list folders in capabilities.roots.list of bailiwick.json. ${ROOTS}`,
  invalid_path: "Write it as workspace://folder/name: percent-encoded once, without a backslash or control characters.",
  path_outside_roots: `Use a path inside a root, such as workspace://folder/name. ${ROOTS}`,
  unsupported_scheme: "Write it as workspace://folder/name, or give the path of a file that lies in a root.",
};

export interface Unresolved {
  /** In force when it was asked. */
  readonly roots: RootList;
  /** Flat name of the tool it was meant for; absent: somebody just asked. */
  readonly tool?: string;
}

export const unresolvedPath = (error: WorkspaceResolveError, { roots, tool }: Unresolved): Refusal => {
  const { kind, message, path, root } = error;
  const what = tool === undefined ? `${quote(path)} cannot be resolved` : `${tool} cannot use the path ${quote(path)}`;
  return new Refusal(kind, {
    message: kind === "no_workspace_roots" ? message : `${what}: ${whyOf(error)}.`,
    next: kind === "unknown_root" ? chooseRoot(roots) : NEXT[kind],
    details: { path: path.slice(0, MAX_PATH), ...(root === null ? {} : { root: clip(root) }) },
  });
};

/** The path is named once. */
const whyOf = ({ message, path }: WorkspaceResolveError): string =>
  message.startsWith(`"${path}" `) ? `it ${message.slice(path.length + 3)}` : message;

const chooseRoot = ({ rows }: RootList): string => {
  const names = rows.flatMap(({ name, path }) =>
    name === null || path === null ? [] : [`workspace://@${encodeURIComponent(clip(name))}/`],
  );
  if (names.length === 0) return "Leave the root's name out: workspace://folder/name is in the first root.";
  return `Begin the path with ${names.slice(0, MAX_NAMES).join(" or ")}. ${ROOTS}`;
};

const clip = (text: string): string => text.slice(0, MAX_TOLD).toWellFormed();

const quote = (text: string): string => JSON.stringify(text.length <= MAX_TOLD ? text : `${clip(text)}...`);
