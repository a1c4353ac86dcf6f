/** What there is to say about one file of a skill: sentences for people that name the file and what to do. */
import { SKILL_LIMITS } from "./skill-limits.ts";

export class SkillFindings {
  readonly #path: string;
  readonly #told: string[] = [];
  #more = 0;

  constructor(path: string) {
    this.#path = path;
  }

  warn(message: string): void {
    if (this.#told.length < SKILL_LIMITS.warnings) this.#told.push(`${this.#path}: ${message}`);
    else this.#more++;
  }

  /** It is no skill, for this reason. */
  skip(message: string): null {
    this.#told.unshift(`${this.#path} is skipped: ${message}`);
    return null;
  }

  all(): readonly string[] {
    return this.#more === 0 ? this.#told : [...this.#told, `${this.#path}: ${this.#more} more warnings.`];
  }
}

/** A word of a file in a sentence: short, and on one line. */
export const quoted = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
};
