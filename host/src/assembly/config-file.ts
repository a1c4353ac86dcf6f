/**
 * The configuration file as the host changes it: whole or not at all, with everything left as it stands that was not asked
 * to change, references to variables included. Made when something is first written.
 */
import { readFile } from "node:fs/promises";
import { Refusal } from "../kernel/refusal.ts";
import { replaceLinked } from "./replace-linked.ts";

type JsonObject = Record<string, unknown>;

export class ConfigFile {
  /** Null: a program gave the configuration, and nothing is written anywhere. */
  readonly file: string | null;
  /** What is in force, or was told to be unusable; null: there was none. */
  #known: string | null;
  #work: Promise<unknown> = Promise.resolve();

  constructor(file: string | null, known: string | null) {
    this.file = file;
    this.#known = known;
  }

  /** The text now, and whether this process has dealt with it before. */
  async look(): Promise<{ readonly text: string | null; readonly isNews: boolean }> {
    await this.#work;
    if (this.file === null) return { text: this.#known, isNews: false };
    const text = await readText(this.file);
    return { text, isNews: text !== this.#known };
  }

  /** It was dealt with, and is no news any more. */
  took(text: string | null): void {
    this.#known = text;
  }

  /** One change after the other. `change` may throw; then nothing is written. */
  edit(change: (value: JsonObject) => void): Promise<void> {
    const done = this.#work.then(() => this.#edit(change));
    this.#work = done.catch(() => {});
    return done;
  }

  async #edit(change: (value: JsonObject) => void): Promise<void> {
    const before = this.file === null ? this.#known : await readText(this.file);
    const value = before === null ? {} : parse(before, this.file ?? "the configuration");
    change(value);
    const text = `${JSON.stringify(value, null, indentOf(before))}\n`;
    if (this.file !== null) await replaceLinked(this.file, text, { keepMode: true });
    // What somebody else wrote meanwhile is in it and still news.
    if (before === this.#known) this.#known = text;
  }
}

const readText = (file: string): Promise<string | null> =>
  readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });

const parse = (text: string, file: string): JsonObject => {
  const value = readJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new Refusal("bad_request", {
    message: `${file} does not hold one JSON object now, so nothing was written.`,
    next: `Correct it: bailiwick doctor says what is wrong.`,
  });
};

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return null;
  }
};

/** As the file has it; two blanks where it does not say. */
const indentOf = (text: string | null): string => /^[ \t]+(?=")/m.exec(text ?? "")?.[0] ?? "  ";
