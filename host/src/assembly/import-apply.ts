/**
 * Does what a plan of an import says. Files first and the configuration last, so that whatever is interrupted leaves no entry
 * without what it needs; nothing that is there is overwritten.
 */
import { constants, createWriteStream } from "node:fs";
import { chmod, lstat, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { formatFinding, parseConfig, parseWorkspace } from "@bailiwick/contract";
import { isDeepStrictEqual } from "node:util";
import { HostError } from "../kernel/host-error.ts";
import { Refusal } from "../kernel/refusal.ts";
import { replaceFile } from "../kernel/replace-file.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import { keepBackup } from "./keep-backup.ts";
import { ConfigFile } from "./config-file.ts";
import { unwritten } from "./unwritten.ts";
import type { ImportCopy, ImportPlace, ImportPlan } from "./import-step.ts";

export interface ImportDone {
  /** Of the configuration as it was; null: it was not changed, or there was none. */
  readonly backup: string | null;
  /** Others could read the configuration until now. */
  readonly tightened: boolean;
}

export const applyImport = async (plan: ImportPlan, place: ImportPlace): Promise<ImportDone> => {
  for (const { directory, text } of plan.manifests) {
    const file = join(directory, "manifest.json");
    await writing(file, () => replaceFile(file, text));
  }
  for (const copy of plan.copies) await writing(copy.to, () => copyWhole(copy));
  if (plan.bundles.length === 0 && Object.keys(plan.settings).length === 0) return { backup: null, tightened: false };
  return writing(place.configFile, () => changeConfig(plan, place));
};

const writing = async <T>(file: string, write: () => Promise<T>): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    throw unwritten(file, error);
  }
};

const changeConfig = async (plan: ImportPlan, place: ImportPlace): Promise<ImportDone> => {
  const backup = await keepBackup(place.configFile);
  await new ConfigFile(place.configFile, null).edit((value) => {
    if (!isDeepStrictEqual(value, place.value)) throw changedMeanwhile(place.configFile);
    const bundles = Array.isArray(value["bundles"]) ? (value["bundles"] as unknown[]) : [];
    if (plan.bundles.length > 0) value["bundles"] = [...bundles, ...plan.bundles];
    Object.assign(value, plan.settings);
    checkWhole(value, place);
  });
  return { backup, tightened: await tighten(place.configFile) };
};

/** What was taken over from a private file may be private, whatever it looks like. */
const tighten = async (file: string): Promise<boolean> => {
  const { mode } = await stat(file);
  if ((mode & 0o077) === 0) return false;
  await chmod(file, mode & 0o700);
  return true;
};

const changedMeanwhile = (file: string): Refusal =>
  new Refusal("stale_surface", {
    message: `${file} was changed meanwhile, so nothing was written to it.`,
    next: "Look at the plan again, and repeat it.",
  });

/** A host must be able to start with what is written. */
const checkWhole = (value: object, { configFile, workspace }: ImportPlace): void => {
  const text = JSON.stringify(value);
  const dialect = configFile.endsWith("nimblebrain.json") ? "nimblebrain" : "bailiwick";
  const host = parseConfig("{}", { dialect: "bailiwick" }).config;
  if (host === null) throw new HostError("an empty configuration is a usable one");
  const { errors } = workspace === DEFAULT_WORKSPACE ? parseConfig(text, { dialect }) : parseWorkspace(text, host);
  if (errors.length === 0) return;
  throw new Refusal("bad_request", {
    message: `${configFile} would not be usable with that: ${errors.slice(0, 5).map(formatFinding).join("; ")}. It was left as it is.`,
    next: "Take those settings out of the source, or correct them there, and try again.",
  });
};

/** Beside its place first, so that nobody reads half of it. */
const copyWhole = async ({ from, to, files }: ImportCopy): Promise<void> => {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const draft = join(dirname(to), `.importing-${process.pid}`);
  await rm(draft, { recursive: true, force: true });
  try {
    if (files === null) await copyPlain(from, draft);
    else for (const file of files) await copyPlain(join(from, file), join(draft, file));
    if ((await lstat(to).catch(() => null)) === null) await rename(draft, to);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};

/** What became a link or a pipe since it was looked at is neither followed nor waited for. */
const copyPlain = async (from: string, to: string): Promise<void> => {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = await source.stat();
    if (!facts.isFile()) {
      throw new Refusal("bad_request", {
        message: `${from} is no plain file any more.`,
        next: "Put the file itself there, and try again.",
      });
    }
    const mode = facts.mode & 0o100 ? 0o700 : 0o600;
    const copy = createWriteStream(to, { flags: "wx", mode, flush: true });
    await pipeline(source.createReadStream({ autoClose: false }), copy);
  } finally {
    await source.close();
  }
};
