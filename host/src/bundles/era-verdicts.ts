/**
 * Which era a server was found to speak, kept for later starts, so that it need not be asked each time. A verdict belongs to
 * one exact package or URL. That a server is legacy can never prove wrong by itself, so it is believed for a day only; that
 * it is modern shows with every handshake.
 */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import type { Era, EraMemory } from "./legs/era-memory.ts";
import { replaceFile } from "../kernel/replace-file.ts";
import { isObject } from "./shapes.ts";

const FORMAT = 1;
const MAX_BYTES = 4_096;
const LEGACY_MS = 24 * 3_600_000;

interface Verdict {
  /** Hashed: a URL may hold what nobody should find in a second file. */
  readonly source: string;
  readonly era: Era;
  /** When it was found, ms since the epoch. */
  readonly at: number;
}

export class EraVerdicts {
  readonly #file: string;
  /** Undefined: the file was not read yet. */
  #verdict: Verdict | null | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** `source` is the digest of a package, or a URL. */
  async recall(source: string): Promise<EraMemory> {
    const key = createHash("sha256").update(source).digest("hex");
    this.#verdict ??= await this.#read();
    const verdict = this.#verdict;
    const known = verdict?.source === key && isFresh(verdict, Date.now()) ? verdict.era : null;
    return { known, learned: (era) => this.#learn({ source: key, era, at: Date.now() }) };
  }

  /** Resolves when what was to be written is, or could not be. */
  settled(): Promise<void> {
    return this.#writing;
  }

  #learn(verdict: Verdict): void {
    const { source, era } = this.#verdict ?? {};
    const isNews = source !== verdict.source || era !== verdict.era || era === "legacy";
    this.#verdict = verdict;
    if (!isNews) return;
    const text = JSON.stringify({ format: FORMAT, ...verdict, at: new Date(verdict.at).toISOString() });
    // Without the file the next boot asks the server once more, and nothing else is lost.
    this.#writing = this.#writing.then(() => replaceFile(this.#file, text)).catch(() => {});
  }

  async #read(): Promise<Verdict | null> {
    try {
      if ((await stat(this.#file)).size > MAX_BYTES) return null;
      return parse(JSON.parse(await readFile(this.#file, "utf8")));
    } catch {
      return null;
    }
  }
}

const isFresh = ({ era, at }: Verdict, now: number): boolean => era === "modern" || (at <= now && now - at < LEGACY_MS);

const parse = (value: unknown): Verdict | null => {
  if (!isObject(value) || value["format"] !== FORMAT) return null;
  const { source, era } = value;
  const at = Date.parse(String(value["at"]));
  if (typeof source !== "string" || (era !== "legacy" && era !== "modern") || Number.isNaN(at)) return null;
  return { source, era, at };
};
