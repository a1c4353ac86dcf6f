/**
 * The search over all tools of a workspace, one for all who are in it. It is brought up to date from the surface of whoever
 * searches: what stands in it unchanged is not read again, and nobody finds what is not on its own surface.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Surface, ToolRow } from "../../kernel/surface.ts";
import { createToolIndex } from "../search/create-tool-index.ts";
import type { ToolEntry } from "../search/tool-words.ts";
import { toolEntry } from "./tool-entry.ts";

export interface WorkspaceIndex {
  /** Best first; `total` counts also those beyond the limit. */
  search(
    surface: Surface,
    query: string,
    limit: number,
  ): Promise<{ readonly rows: readonly ToolRow[]; readonly total: number }>;
}

interface Known {
  /** Of all that it is found by. */
  readonly mark: string;
  readonly entry: ToolEntry;
}

/** A surface as it was last looked at. */
interface Seen {
  readonly rows: ReadonlyMap<string, ToolRow>;
  readonly marks: ReadonlyMap<string, string>;
  /** Of the index when all of it was in there. */
  version: number;
}

/** So many tools are looked at in one go. */
const PART = 500;
/** What others see, or saw, stands in the index up to this much beyond what is searched. */
const SPARE = 1_000;

export const createWorkspaceIndex = (): WorkspaceIndex => new Index();

class Index implements WorkspaceIndex {
  readonly #tools = createToolIndex();
  readonly #known = new Map<string, Map<string, Known>>();
  readonly #seen = new WeakMap<Surface, Seen>();
  #version = 0;
  #updating: Promise<unknown> = Promise.resolve();

  async search(surface: Surface, query: string, limit: number): ReturnType<WorkspaceIndex["search"]> {
    let seen = this.#seen.get(surface);
    while (seen?.version !== this.#version) {
      const update = this.#updating.then(() => this.#update(surface));
      this.#updating = update.catch(() => null);
      seen = await update;
    }
    const { rows } = seen;
    const { hits, total } = this.#tools.search(query, { limit, filter: ({ name }) => rows.has(name) });
    return { rows: hits.flatMap(({ name }) => rows.get(name) ?? []), total };
  }

  async #update(surface: Surface): Promise<Seen> {
    const seen = this.#seen.get(surface) ?? (await look(surface));
    this.#seen.set(surface, seen);
    for (const [provider, rows] of Map.groupBy(seen.rows.values(), (row) => row.provider)) {
      if (this.#take(provider, rows, { surface, seen })) await nextTurn();
    }
    this.#forgetOthers(seen);
    seen.version = this.#version;
    return seen;
  }

  /** False: all of them are in there as they are. */
  #take(provider: string, rows: readonly ToolRow[], from: { readonly surface: Surface; readonly seen: Seen }): boolean {
    const known = this.#known.get(provider) ?? new Map<string, Known>();
    const fresh = rows.filter(({ name }) => known.get(name)?.mark !== from.seen.marks.get(name));
    if (fresh.length === 0) return false;
    for (const row of fresh) {
      const mark = from.seen.marks.get(row.name) ?? "";
      known.set(row.name, { mark, entry: toolEntry(row, from.surface.tool(row.name)) });
    }
    this.#put(provider, known);
    return true;
  }

  #put(provider: string, known: Map<string, Known>): void {
    this.#version++;
    this.#known.set(provider, known);
    this.#tools.put(
      provider,
      Array.from(known.values(), ({ entry }) => entry),
    );
  }

  /** What is gone for good is not told apart from what only others see; they bring theirs again. */
  #forgetOthers({ rows }: Seen): void {
    let count = 0;
    for (const known of this.#known.values()) count += known.size;
    if (count <= 2 * rows.size + SPARE) return;
    for (const [provider, known] of this.#known) {
      const kept = new Map([...known].filter(([name]) => rows.has(name)));
      if (kept.size === known.size) continue;
      if (kept.size > 0) this.#put(provider, kept);
      else this.#drop(provider);
    }
  }

  #drop(provider: string): void {
    this.#version++;
    this.#known.delete(provider);
    this.#tools.remove(provider);
  }
}

const look = async (surface: Surface): Promise<Seen> => {
  const rows = new Map<string, ToolRow>();
  const marks = new Map<string, string>();
  for (const row of surface.rows()) {
    rows.set(row.name, row);
    const carried = surface.tool(row.name)?.carried;
    // The definition's hash is of the tool's own text; what is said beside it can change alone.
    marks.set(row.name, `${row.definition}${carried === undefined ? "" : JSON.stringify(carried)}`);
    if (rows.size % PART === 0) await nextTurn();
  }
  return { rows, marks, version: -1 };
};
