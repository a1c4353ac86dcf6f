/**
 * `tokens/`: one sealed file a record, named by the hash of its key. The key stands inside the seal too, so a file that is
 * moved in place of another opens as nothing.
 */
import { hash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Seals } from "../kernel/seal.ts";
import type { TokenKey, TokenStore } from "../kernel/token-store.ts";
import { replacePrivateFile } from "./private-file.ts";

const PURPOSE = "tokens";
const RECORD_NAME = /^[0-9a-f]{64}$/;

interface TokenRecord {
  readonly key: TokenKey;
  readonly text: string;
}

const nameOf = (key: TokenKey): string => hash("sha256", JSON.stringify(key));

class SealedTokenStore implements TokenStore {
  readonly #dir: string;
  readonly #seals: Seals;

  constructor(dir: string, seals: Seals) {
    this.#dir = join(dir, "tokens");
    this.#seals = seals;
  }

  read(key: TokenKey): string | null {
    return this.#open(nameOf(key))?.text ?? null;
  }

  write(key: TokenKey, text: string): void {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const record: TokenRecord = { key, text };
    replacePrivateFile(join(this.#dir, nameOf(key)), `${this.#seals.seal(PURPOSE, JSON.stringify(record))}\n`);
  }

  remove(key: TokenKey): void {
    rmSync(join(this.#dir, nameOf(key)), { force: true });
  }

  keys(prefix: TokenKey): readonly TokenKey[] {
    return this.#names()
      .map((name) => this.#open(name)?.key)
      .filter((key) => key !== undefined)
      .filter((key) => prefix.every((part, at) => key[at] === part));
  }

  #names(): string[] {
    try {
      return readdirSync(this.#dir).filter((name) => RECORD_NAME.test(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  }

  #open(name: string): TokenRecord | null {
    let sealed: string;
    try {
      sealed = readFileSync(join(this.#dir, name), "utf8").trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
    const plain = this.#seals.unseal(PURPOSE, sealed);
    if (plain === null) return null;
    const record = JSON.parse(plain) as TokenRecord;
    return nameOf(record.key) === name ? record : null;
  }
}

export const openTokenStore = (dir: string, seals: Seals): TokenStore => new SealedTokenStore(dir, seals);
