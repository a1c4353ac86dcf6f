/**
 * The skills that can be served, in their order. Their entries are judged a few at a time, so that a server with very many
 * does not keep everybody else waiting.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { ListedSkill } from "../../kernel/provider.ts";
import { skillDefects } from "../../kernel/skill-rules.ts";
import { readEntries, type Pages, type RawEntry } from "./list-entry.ts";
import { isObject } from "./read-message.ts";

/** Files of all skills of one server together. */
const MAX_FILES = 20_000;
const FILES_AT_ONCE = 500;

export const readSkills = async (pages: Pages, defects: string[]): Promise<readonly ListedSkill[]> => {
  const reasons = new Map<unknown, string>();
  let files = 0;
  for (const batch of batchesOf(pages.entries)) {
    const values = batch.map((entry) => entry.value);
    files += values.reduce((sum: number, value) => sum + filesOf(value), 0);
    const tooMany =
      files > MAX_FILES ? values.map(() => `is beyond the first ${MAX_FILES} files of this server`) : null;
    const found = tooMany ?? (await skillDefects(values));
    found.forEach((reason, index) => reason !== null && reasons.set(values[index], reason));
    await turn();
  }
  return readEntries<ListedSkill>(
    pages,
    (json, value) => {
      const { uri } = value;
      const shown = typeof uri === "string" ? uri.slice(0, 256) : "without a uri";
      const reason = reasons.get(value);
      if (reason !== undefined || typeof uri !== "string") return `skill ${shown}: ${reason?.slice(0, 500) ?? ""}`;
      return { key: uri, entry: { json, value, uri } };
    },
    defects,
  );
};

const filesOf = (skill: unknown): number => {
  const resources = isObject(skill) ? skill["resources"] : null;
  return Array.isArray(resources) ? Math.max(resources.length, 1) : 1;
};

const batchesOf = (entries: readonly RawEntry[]): RawEntry[][] => {
  const batches: RawEntry[][] = [];
  let files = FILES_AT_ONCE;
  for (const entry of entries) {
    if (files >= FILES_AT_ONCE) {
      batches.push([]);
      files = 0;
    }
    batches.at(-1)?.push(entry);
    files += filesOf(entry.value);
  }
  return batches;
};
