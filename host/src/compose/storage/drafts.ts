/** Drafts of configs: what was drafted, for 30 days after it was last changed. They are no content and no saved config. */
import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { ComposeError } from "../compose-error.ts";
import { checkDraftId, isDraftId, makeDraftId } from "../configs/config-id.ts";
import type { ConfigType } from "../configs/config-types.ts";
import { DRAFT_END, dropOlder, isAbsent, readPrivate, writePrivate } from "./private-files.ts";
import { Turns } from "./turns.ts";

const HOUR_MS = 3_600_000;
const LIFE_MS = 30 * 86_400_000;
const MAX_BYTES = 10_000_000;

export interface Draft {
  readonly draft_id: string;
  readonly config_type: ConfigType;
  readonly config_data: unknown;
  readonly description?: string;
  readonly created_at: string;
  readonly modified_at: string;
  /** The saved config that it was made of. */
  readonly from?: string;
}

export type NewDraft = Pick<Draft, "config_type" | "config_data" | "description" | "from">;

export interface DraftsOptions {
  /** `.../compose/drafts` */
  readonly dir: string;
  readonly now: () => Date;
}

export class Drafts {
  readonly #dir: string;
  readonly #now: () => Date;
  readonly #turns = new Turns();

  constructor({ dir, now }: DraftsOptions) {
    this.#dir = dir;
    this.#now = now;
  }

  async create(given: NewDraft): Promise<Draft> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    for (;;) {
      const now = this.#now();
      const at = now.toISOString();
      const draft: Draft = { draft_id: makeDraftId(now), ...given, created_at: at, modified_at: at };
      try {
        await writePrivate(this.pathOf(draft.draft_id), textOf(draft), { replace: false });
        return draft;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
    }
  }

  /** ComposeError `draft_not_found`. */
  async read(id: string): Promise<Draft> {
    const draft = await this.find(id);
    if (draft !== null) return draft;
    throw new ComposeError("draft_not_found", `There is no draft "${id}", or it is older than 30 days.`, {
      draft_id: id,
      next: "Call draft_config with the whole config.",
    });
  }

  async find(id: string): Promise<Draft | null> {
    const text = await readPrivate(this.pathOf(id), MAX_BYTES);
    const draft = text === null ? null : readDraft(text);
    const isOurs = draft?.draft_id === id && this.#now().getTime() - Date.parse(draft.modified_at) < LIFE_MS;
    return isOurs ? draft : null;
  }

  /** `change` gets what is there and throws for what may not become of it; then nothing is changed. */
  update(id: string, change: (draft: Draft) => unknown, how: { readonly backup: boolean }): Promise<DraftUpdate> {
    return this.#turns.run(checkDraftId(id), async () => {
      const draft = await this.read(id);
      const changed: Draft = { ...draft, config_data: change(draft), modified_at: this.#now().toISOString() };
      const text = textOf(changed);
      const backup = how.backup ? `${this.pathOf(id)}.backup` : null;
      if (backup !== null) await writePrivate(backup, textOf(draft), { replace: true });
      await writePrivate(this.pathOf(id), text, { replace: true });
      return { draft: changed, backup: backup === null ? null : basename(backup) };
    });
  }

  /** What is too old, with its backup, and what an interruption left. `tell` is awaited first; where it rejects, all stays. */
  async sweep(tell: (ids: readonly string[]) => Promise<void>): Promise<void> {
    const old: string[] = [];
    const ids = new Set<string>();
    for (const name of await this.#names()) {
      const [id = ""] = name.split(".", 1);
      if (isDraftId(id) && (ids.has(id) || (await this.find(id)) === null)) {
        old.push(name);
        ids.add(id);
      } else if (name.endsWith(DRAFT_END))
        await dropOlder(join(this.#dir, name), new Date(this.#now().getTime() - HOUR_MS));
    }
    await tell([...ids]);
    for (const name of old) await rm(join(this.#dir, name), { force: true });
  }

  /** Checks the id. */
  pathOf(id: string): string {
    return join(this.#dir, `${checkDraftId(id)}.json`);
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.#dir);
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }
}

export interface DraftUpdate {
  readonly draft: Draft;
  /** Its file's name, beside the draft's. */
  readonly backup: string | null;
}

const textOf = (draft: Draft): string => {
  const text = JSON.stringify(draft);
  const size = Buffer.byteLength(text);
  if (size <= MAX_BYTES) return text;
  throw new ComposeError("invalid_input", `The draft has ${size} bytes; at most ${MAX_BYTES} are allowed.`, {
    size,
    limit: MAX_BYTES,
  });
};

const readDraft = (text: string): Draft | null => {
  try {
    return JSON.parse(text) as Draft | null;
  } catch {
    return null;
  }
};
