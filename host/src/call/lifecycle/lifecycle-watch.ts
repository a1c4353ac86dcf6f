/**
 * Tells each change of a tool's state once, after the fact. Only pages that are other objects than before are looked at, so
 * one provider's change costs as much as it has tools, whatever else there is. What a provider does to many of its tools at
 * once is told as one change of `<provider>__*`: a server that comes and goes must not fill the log.
 */
import type { Requirements } from "../../kernel/environment.ts";
import type { Lifecycle, LifecycleState } from "../../kernel/stages.ts";

export interface WatchedTool {
  readonly id: string;
  readonly lifecycle: Lifecycle;
  readonly tool: { readonly definition: string };
  readonly requirements: Requirements | null;
}

export interface WatchedPage {
  readonly provider: { readonly name: string };
  readonly tools: ReadonlyMap<string, WatchedTool>;
}

export interface WatchedSurfaces {
  pages(workspace: string): readonly WatchedPage[];
  onChange(listener: (workspace: string) => void): () => void;
}

export interface LifecycleChange {
  readonly workspace: string;
  /** Its outward id, or `<provider>__*` for `count` of them. */
  readonly capability: string;
  readonly count?: number;
  /** `unknown`: it was not there, or is not any more. */
  readonly from: LifecycleState | "unknown";
  readonly to: LifecycleState | "unknown";
  readonly reason: string | null;
  /** What made it change: its provider, or what configuration says. */
  readonly by: "provider" | "policy";
}

const MOST_TOLD = 20;

type States = ReadonlyMap<string, WatchedTool>;
type Known = Map<string, { readonly page: WatchedPage; readonly states: States }>;

/** Returns the function that ends it. What is there when a workspace is first looked at is no change. */
export const createLifecycleWatch = (
  surfaces: WatchedSurfaces,
  record: (change: LifecycleChange) => void,
): (() => void) => {
  const places = new Map<string, Known>();
  return surfaces.onChange((workspace) => {
    const before = places.get(workspace);
    const now: Known = new Map();
    for (const page of surfaces.pages(workspace)) {
      const known = before?.get(page.provider.name);
      now.set(page.provider.name, known?.page === page ? known : { page, states: page.tools });
      if (known && known.page !== page)
        tell(workspace, { name: page.provider.name, from: known.states, to: page.tools }, record);
    }
    for (const [name, { states }] of before ?? [])
      if (!now.has(name)) tell(workspace, { name, from: states, to: new Map() }, record);
    places.set(workspace, now);
  });
};

interface Difference {
  readonly name: string;
  readonly from: States;
  readonly to: States;
}

const tell = (workspace: string, { name, from, to }: Difference, record: (change: LifecycleChange) => void): void => {
  const groups = new Map<string, LifecycleChange[]>();
  // A provider that had listed nothing yet is only beginning.
  for (const key of from.size === 0 ? [] : new Set([...from.keys(), ...to.keys()])) {
    const change = changeOf(workspace, from.get(key), to.get(key));
    if (change === null) continue;
    const kind = `${change.from} ${change.to} ${change.reason}`;
    const group = groups.get(kind);
    if (group) group.push(change);
    else groups.set(kind, [change]);
  }
  for (const changes of groups.values()) {
    const [first] = changes;
    if (first && changes.length > MOST_TOLD) record({ ...first, capability: `${name}__*`, count: changes.length });
    else for (const change of changes) record(change);
  }
};

const changeOf = (
  workspace: string,
  before: WatchedTool | undefined,
  after: WatchedTool | undefined,
): LifecycleChange | null => {
  const from = before?.lifecycle.state ?? "unknown";
  const to = after?.lifecycle.state ?? "unknown";
  if (from === to) return null;
  const told = [from, to].some((state) => state === "disabled" || state === "deprecated") || isOther(before, after);
  return {
    workspace,
    capability: (after ?? before)?.id ?? "",
    from,
    to,
    reason: after?.lifecycle.reason ?? null,
    by: told ? "policy" : "provider",
  };
};

/** It says the same of itself, and the host declares something else. */
const isOther = (before: WatchedTool | undefined, after: WatchedTool | undefined): boolean =>
  before?.tool.definition === after?.tool.definition &&
  before?.requirements?.missing.length !== after?.requirements?.missing.length;
