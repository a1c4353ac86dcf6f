/**
 * Configs that were saved: files in the workspace's first configured root, where people and other programs edit them too.
 * Loading looks exactly where saving writes.
 */
import { ComposeError } from "../compose-error.ts";
import { checkConfigId, isConfigId } from "../configs/config-id.ts";
import type { ConfigType } from "../configs/config-types.ts";
import { savedPathOf } from "../configs/saved-path-of.ts";
import { FileTooLarge, listBelow, readBelow, writeBelow } from "./rooted-files.ts";
import { Turns } from "./turns.ts";

const READ_AT_ONCE = 16;
const MAX_BYTES = 10_000_000;

export interface SavedConfig {
  readonly id: string;
  /** From the root. */
  readonly path: string;
  /** As it was saved. */
  readonly text: string;
  readonly modified: Date;
  /** Null: `fault` says why there is none. Not yet checked against its schema. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly fault: string | null;
}

export interface SaveWish {
  readonly type: ConfigType;
  readonly id: string;
  /** It was checked. Its `id` becomes the one it is saved under. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly overwrite: boolean;
}

export interface Saving {
  readonly path: string;
  readonly backup: string | null;
  readonly idRewritten: boolean;
}

export class SavedConfigs {
  readonly #rootOf: () => string | null;
  readonly #turns = new Turns();

  /** `rootOf`: the first configured root that is usable now, never one that a client announced. */
  constructor(rootOf: () => string | null) {
    this.#rootOf = rootOf;
  }

  async find(type: ConfigType, id: string): Promise<SavedConfig | null> {
    const path = savedPathOf(type, checkConfigId(id));
    const root = this.#rootOf();
    if (root === null) return null;
    try {
      const found = await readBelow(root, path, MAX_BYTES);
      return found === null ? null : { id, path, ...found, ...parse(found.text, type) };
    } catch (error) {
      if (!(error instanceof FileTooLarge)) throw error;
      return { id, path, text: "", modified: new Date(0), data: null, fault: error.message };
    }
  }

  /** Of all that may be there, sorted: only names are looked at. */
  async ids(type: ConfigType): Promise<readonly string[]> {
    const root = this.#rootOf();
    if (root === null) return [];
    const names = await listBelow(root, type === "content" ? "configs/content" : "configs/artifacts");
    const ids = type === "content" ? names : names.flatMap((name) => /^(.+)-artifact\.json$/.exec(name)?.[1] ?? []);
    return ids.filter(isConfigId).toSorted();
  }

  /** All that are there, by id; those that cannot be read too. */
  async list(type: ConfigType): Promise<readonly SavedConfig[]> {
    const ids = await this.ids(type);
    const found: SavedConfig[] = [];
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
      const some = await Promise.all(ids.slice(at, at + READ_AT_ONCE).map((id) => this.find(type, id)));
      for (const config of some) if (config !== null) found.push(config);
    }
    return found;
  }

  async save(wish: SaveWish): Promise<Saving> {
    const { type, id } = wish;
    if (!isConfigId(id)) throw saveFailed(id, "the id must begin with a letter and hold only a-z, 0-9 and -");
    const path = savedPathOf(type, id);
    return this.#turns.run(path, async () => {
      const root = this.#rootOf();
      if (root === null)
        throw saveFailed(id, "this workspace has no configured root; list one in capabilities.roots.list");
      try {
        return await write(root, path, wish);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (error instanceof FileTooLarge) throw saveFailed(id, error.message);
        if (code === "ENAMETOOLONG") throw saveFailed(id, "the id is too long for the name of a file here");
        throw typeof code !== "string" || error instanceof ComposeError
          ? error
          : saveFailed(id, `${path} cannot be written in the first root (${code}), where no part of it may be a link`);
      }
    });
  }
}

const write = async (root: string, path: string, { id, data, overwrite }: SaveWish): Promise<Saving> => {
  const text = `${JSON.stringify({ ...data, id }, null, 2)}\n`;
  if (Buffer.byteLength(text) > MAX_BYTES) throw saveFailed(id, `it has more than ${MAX_BYTES} bytes`);
  const backup = overwrite ? await backUp(root, path) : null;
  if (!(await writeBelow(root, path, { text, replace: overwrite })))
    throw saveFailed(id, "there is one already; call save_config with overwrite true to replace it");
  return { path, backup, idRewritten: data["id"] !== id };
};

/** The old file, as it is; null: there is none. */
const backUp = async (root: string, path: string): Promise<string | null> => {
  const old = await readBelow(root, path, MAX_BYTES);
  if (old === null) return null;
  await writeBelow(root, `${path}.backup`, { text: old.text, replace: true });
  return `${path}.backup`;
};

const saveFailed = (id: string, why: string): ComposeError =>
  new ComposeError(
    "save_failed",
    `The config ${JSON.stringify(id.slice(0, 100).toWellFormed())} was not saved: ${why}.`,
    {
      config_id: id.slice(0, 100).toWellFormed(),
    },
  );

const parse = (text: string, type: ConfigType): Pick<SavedConfig, "data" | "fault"> => {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    return { data: null, fault: `it is no JSON (${(error as Error).message.slice(0, 200)})` };
  }
  const isConfig = typeof data === "object" && data !== null && (data as { type?: unknown }).type === type;
  return isConfig
    ? { data: data as Readonly<Record<string, unknown>>, fault: null }
    : { data: null, fault: `its type is not "${type}"` };
};
