/** The "no" to a path that somebody asked the host to resolve. It repeats the path as given and names no folder of the host. */
import type { ResolveFault, WorkspaceResolveError } from "@bailiwick/contract";
import { Refusal } from "./refusal.ts";

const MAX_PATH = 4_096;
const MAX_TOLD = 200;

const NEXT: Readonly<Record<ResolveFault, string>> = {
  no_workspace_roots: "Add a folder to capabilities.roots.list of bailiwick.json. What there is: bailiwick roots list",
  invalid_path: "Write it as workspace://folder/name: percent-encoded once, without a backslash or control characters.",
  path_outside_roots: "Use a path inside a root, such as workspace://folder/name. The roots: bailiwick roots list",
  unknown_root: "Begin it with the name of a root that there is, as workspace://@name/: bailiwick roots list",
  unsupported_scheme: "Write it as workspace://folder/name, or as a path without a scheme.",
};

export const unresolvedPath = ({ kind, message, path, root }: WorkspaceResolveError): Refusal =>
  new Refusal(kind, {
    message: kind === "no_workspace_roots" ? message : `${quote(path)} cannot be resolved: ${message}.`,
    next: NEXT[kind],
    details: { path: path.slice(0, MAX_PATH), ...(root === null ? {} : { root: root.slice(0, MAX_TOLD) }) },
  });

const quote = (text: string): string =>
  JSON.stringify(text.length <= MAX_TOLD ? text : `${text.slice(0, MAX_TOLD)}...`);
