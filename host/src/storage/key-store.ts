/**
 * The secrets that open the host: the owner key, kept plain in `owner.key` because its owner reads it from there, and named
 * keys in `keys.json`, of which only hashes are kept. Another process may create or revoke: every look-up notices.
 */
import type { KeyRow, NewKey } from "../kernel/key.ts";
import { hash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../kernel/refusal.ts";
import { checkNewKey } from "./check-new-key.ts";
import { takeFileLock } from "./file-lock.ts";
import { readKeyFile, writeKeyFile, type KeyEntry } from "./key-file.ts";
import { narrowFile, createPrivateFile } from "./private-file.ts";

export interface StoredKey extends KeyRow {
  /** True for the owner key alone: role `owner`, every permission. */
  readonly owner: boolean;
}

export interface KeyStore {
  readonly ownerSecret: string;
  readonly ownerPath: string;
  /** What a person should hear about the files at start. */
  readonly notes: readonly string[];
  find(secret: string): StoredKey | null;
  /** The secret is in the answer once and nowhere else. */
  create(key: NewKey): Promise<{ readonly secret: string; readonly row: KeyRow }>;
  list(): Promise<readonly KeyRow[]>;
  revoke(name: string): Promise<KeyRow>;
}

const OWNER_SECRET = /^bw_owner_[A-Za-z0-9_-]{43}$/;
const MAX_SECRET = 128;
const LOCK_MS = 5000;

const makeSecret = (prefix: string): string => prefix + randomBytes(32).toString("base64url");
const hashOf = (secret: string): string => hash("sha256", secret);

const readOwnerSecret = (path: string): string => {
  if (!existsSync(path)) createPrivateFile(path, `${makeSecret("bw_owner_")}\n`);
  const secret = readFileSync(path, "utf8").trim();
  if (OWNER_SECRET.test(secret)) return secret;
  throw new Error(`${path} holds no owner key. Restore it, or remove it: the next start makes a new one.`);
};

const ownerKey = (path: string): StoredKey => ({
  name: "owner",
  as: "person:owner",
  for: null,
  scopes: null,
  permissions: ["*"],
  workspace: "ws_default",
  createdAt: statSync(path).birthtime.toISOString(),
  revokedAt: null,
  owner: true,
});

class FileKeyStore implements KeyStore {
  readonly ownerSecret: string;
  readonly ownerPath: string;
  readonly notes: readonly string[];
  readonly #path: string;
  readonly #lockPath: string;
  readonly #owner: StoredKey;
  readonly #ownerHash: string;
  #byHash: ReadonlyMap<string, StoredKey> = new Map();
  #entries: readonly KeyEntry[] = [];
  #stamp = "";

  constructor(dir: string) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    this.ownerPath = join(dir, "owner.key");
    this.#path = join(dir, "keys.json");
    this.#lockPath = join(dir, "keys.lock");
    this.ownerSecret = readOwnerSecret(this.ownerPath);
    this.#owner = ownerKey(this.ownerPath);
    this.#ownerHash = hashOf(this.ownerSecret);
    const files = [this.ownerPath, this.#path].filter((path) => existsSync(path));
    this.notes = files.map(narrowFile).filter((note) => note !== null);
    this.#refresh();
  }

  find(secret: string): StoredKey | null {
    if (secret.length > MAX_SECRET || !secret.startsWith("bw_")) return null;
    const digest = hashOf(secret);
    if (digest === this.#ownerHash) return this.#owner;
    this.#refresh();
    return this.#byHash.get(digest) ?? null;
  }

  create(key: NewKey): Promise<{ readonly secret: string; readonly row: KeyRow }> {
    return this.#change((entries) => {
      const row = checkNewKey(key, new Date().toISOString());
      if (row.name === "owner" || entries.some((entry) => entry.row.name === row.name)) throw nameTaken(row.name);
      const secret = makeSecret("bw_");
      return { entries: [...entries, { row, hash: hashOf(secret) }], answer: { secret, row } };
    });
  }

  async list(): Promise<readonly KeyRow[]> {
    this.#refresh();
    return this.#entries.map((entry) => entry.row);
  }

  revoke(name: string): Promise<KeyRow> {
    return this.#change((entries) => {
      const found = entries.find((entry) => entry.row.name === name);
      if (found === undefined) throw unknownKey(name);
      const row = { ...found.row, revokedAt: found.row.revokedAt ?? new Date().toISOString() };
      return { entries: entries.map((entry) => (entry === found ? { row, hash: null } : entry)), answer: row };
    });
  }

  /** Reads, changes and writes under a lock, so that two processes cannot undo each other's work. */
  async #change<T>(work: (entries: readonly KeyEntry[]) => { entries: readonly KeyEntry[]; answer: T }): Promise<T> {
    const lock = takeFileLock(this.#lockPath, LOCK_MS);
    if (lock === null) throw new Error(`${this.#lockPath} is held by another process. Try again when it is done.`);
    try {
      const { entries, answer } = work(readKeyFile(this.#path));
      writeKeyFile(this.#path, entries);
      return answer;
    } finally {
      lock.release();
    }
  }

  #refresh(): void {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    const stamp = stat === undefined ? "" : `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
    if (stamp === this.#stamp) return;
    this.#entries = readKeyFile(this.#path);
    const byHash = new Map<string, StoredKey>();
    for (const entry of this.#entries) if (entry.hash !== null) byHash.set(entry.hash, { ...entry.row, owner: false });
    this.#byHash = byHash;
    this.#stamp = stamp;
  }
}

const nameTaken = (name: string): Refusal =>
  new Refusal("name_taken", {
    message: `There is, or was, a key named ${name}.`,
    next: "Choose another name; `bailiwick key list` shows those in use.",
  });

const unknownKey = (name: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no key named ${JSON.stringify(name.slice(0, 80))}.`,
    next: "`bailiwick key list` shows the keys there are.",
  });

/** Makes the owner key at the first start. Throws an Error fit for people when a file is damaged. */
export const openKeyStore = (dir: string): KeyStore => new FileKeyStore(dir);
