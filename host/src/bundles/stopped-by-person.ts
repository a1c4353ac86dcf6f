/**
 * Which bundles of a workspace a person stopped: they stay stopped over boots until a person starts them. A file that
 * cannot be read names none of them, and whoever listens is told.
 */
import { readFileSync } from "node:fs";
import { replaceFile } from "../kernel/replace-file.ts";

export interface StoppedByPerson {
  has(name: string): boolean;
  /** Resolves when it is written down, or could not be, which `report` hears of. */
  mark(name: string): Promise<void>;
  clear(name: string): Promise<void>;
}

export const openStoppedByPerson = (file: string, report: (error: unknown) => void): StoppedByPerson => {
  const names = new Set(read(file, report));
  let writing: Promise<void> = Promise.resolve();
  /** The file does not say what is known here: whoever comes next writes it, also where nothing is new to it. */
  let isUnwritten = false;
  const keep = (): Promise<void> => {
    const text = JSON.stringify([...names].toSorted());
    writing = writing
      .then(() => replaceFile(file, text))
      .then(
        () => void (isUnwritten = false),
        (error: unknown) => {
          isUnwritten = true;
          report(error);
        },
      );
    return writing;
  };
  return {
    has: (name) => names.has(name),
    mark(name) {
      if (names.has(name) && !isUnwritten) return writing;
      names.add(name);
      return keep();
    },
    clear: (name) => (names.delete(name) || isUnwritten ? keep() : writing),
  };
};

const read = (file: string, report: (error: unknown) => void): readonly string[] => {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
    throw new TypeError("it is no list of names");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") report(new Error(`which bundles were stopped cannot be read from ${file}: ${message}`));
    return [];
  }
};
