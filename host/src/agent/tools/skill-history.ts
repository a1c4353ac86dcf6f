/** Earlier texts of the skills that a directory holds, the last fifty of each, in a folder that is no skill. */
import { lstat, mkdir, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import { writePrivate } from "./write-private.ts";

export const HISTORY = ".history";
const KEPT = 50;

/** Durable when it resolves; returns the name of its file. `name`: of the skill, checked. */
export const keepInHistory = async (dir: string, name: string, text: string): Promise<string> => {
  const folder = join(dir, HISTORY);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // A link could lead anywhere.
  if (!(await lstat(folder)).isDirectory()) throw noFolder();
  const numbers = numbersOf(await readdir(folder), name);
  const next = (numbers[0] ?? 0) + 1;
  const file = fileOf(name, next);
  await writePrivate(join(folder, file), text, { replace: false });
  for (const old of numbers.slice(KEPT - 1)) await unlink(join(folder, fileOf(name, old)));
  return file;
};

const fileOf = (name: string, number: number): string => `${name}.${number}.md`;

/** Newest first. Names of skills have no dots. */
const numbersOf = (files: readonly string[], name: string): readonly number[] =>
  files
    .flatMap((file) => {
      const [of, number, end, ...more] = file.split(".");
      const isOurs = of === name && end === "md" && more.length === 0 && /^[1-9]\d{0,8}$/.test(number ?? "");
      return isOurs ? [Number(number)] : [];
    })
    .toSorted((a, b) => b - a);

const noFolder = (): Refusal =>
  new Refusal("upstream_failed", {
    message: `The folder ${HISTORY} of the workspace's skills is no folder, so nothing was changed.`,
    next: "Ask a person to move it away.",
    details: { error: "no_history" },
  });
