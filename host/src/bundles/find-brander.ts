/**
 * Looks for what can put a brand on a program: `prlimit` (util-linux), and a limit that is free to carry it. Tries it out,
 * since a container may forbid it. What works is remembered; what does not is looked at anew with the next start.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brandOf } from "./brand-of.ts";
import { isProgram } from "./is-program.ts";

export interface Brander {
  readonly program: string;
  /** Its option for the limit. */
  readonly option: string;
}

export type FoundBrander =
  | { readonly ok: true; readonly brander: Brander }
  /** Half a sentence for people, with what to do about it; null: nothing can be done on this system. */
  | { readonly ok: false; readonly reason: string | null };

const FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];
/** Linux keeps them and has not heeded them since 2.4. Of a host that is a bundle's own process the first is taken. */
const UNHEEDED = [
  { name: "Max file locks", option: "--locks" },
  { name: "Max resident set", option: "--rss" },
];
const TRIAL_MARKER = "f".repeat(32);
const TRIAL_MS = 10_000;

let working: Brander | null = null;

export const findBrander = async (): Promise<FoundBrander> => {
  if (working !== null) return { ok: true, brander: working };
  const limits = readLimits();
  if (limits === null) return { ok: false, reason: null };
  const program = FOLDERS.map((folder) => join(folder, "prlimit")).find(isProgram);
  if (program === undefined) return { ok: false, reason: "prlimit is not there (install util-linux)" };
  const option = UNHEEDED.find(({ name }) => isFree(limits, name))?.option;
  if (option === undefined) return { ok: false, reason: "the host's limits on file locks and resident set are taken" };
  const brander = { program, option };
  if (!(await isWorking(brander))) return { ok: false, reason: `${program} ${option} does not work on this machine` };
  working = brander;
  return { ok: true, brander };
};

export const limitTo = ({ option }: Brander, marker: string): string => {
  const brand = brandOf(marker);
  return `${option}=${brand}:${brand}`;
};

const readLimits = (): string | null => {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return null;
  }
};

/** One that is set already cannot be set to any number, and may be the brand of the host itself. */
const isFree = (limits: string, name: string): boolean =>
  new RegExp(`^${name} +unlimited +unlimited `, "m").test(limits);

/** It limits itself to a brand and says what it has. */
const isWorking = (brander: Brander): Promise<boolean> =>
  new Promise((resolve) => {
    const { program, option } = brander;
    const args = [limitTo(brander, TRIAL_MARKER), program, option, "--output=HARD", "--noheadings"];
    execFile(program, args, { env: {}, timeout: TRIAL_MS, killSignal: "SIGKILL" }, (error, stdout) => {
      resolve(error === null && stdout.trim() === brandOf(TRIAL_MARKER));
    });
  });
