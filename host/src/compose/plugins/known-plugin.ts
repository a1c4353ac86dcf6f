/** One plug-in file as it was found: recorded, loaded and judged. */
import { HostError } from "../../kernel/host-error.ts";
import type { GeneratorEntry } from "../generators/generator-entry.ts";
import { checkExport, checkFileName } from "./check-export.ts";
import { NotLoaded, Plugin, type PluginOptions } from "./plugin.ts";
import { digestWithBeside } from "./files-beside.ts";
import type { PluginFile } from "./plugin-files.ts";
import type { RecordedPlugins } from "./recorded-plugins.ts";
import { withoutPlace } from "./without-place.ts";

export interface RejectedPlugin {
  readonly plugin_path: string;
  readonly reason_code: "type_taken" | "load_failed" | "invalid_export";
  readonly message: string;
}

export interface PluginChange {
  readonly type: string;
  /** From the work directory. */
  readonly path: string;
  /** `sha256:<hex>`; null: it cannot be read. */
  readonly digest: string | null;
  readonly what: "added" | "changed" | "removed";
}

export interface KnownPlugin {
  readonly file: PluginFile;
  /** Null: it is rejected. */
  readonly generator: { readonly plugin: Plugin; readonly entry: GeneratorEntry } | null;
  readonly rejected: RejectedPlugin | null;
  /** When it may be tried again as it is; null: when it changes. */
  readonly againAt: number | null;
}

export interface KnowPluginOptions extends Omit<PluginOptions, "file" | "digest" | "whole"> {
  readonly recorded: RecordedPlugins;
  readonly changed: (change: PluginChange) => Promise<void>;
  /** Aborted when the host stops: nothing is loaded any more. */
  readonly closing: AbortSignal;
  readonly fault: (message: string) => void;
}

const MAX_FILE_BYTES = 5_000_000;
const AGAIN_MS = 30_000;
const MAX_MESSAGE = 500;

/** `before`: the same file as it was known; its code is not run before the change is recorded. */
export const knowPlugin = async (
  file: PluginFile,
  before: KnownPlugin | null,
  options: KnowPluginOptions,
): Promise<KnownPlugin> => {
  const reject = rejecting(file);
  const digests = await readDigests(file);
  try {
    await record({ file, digest: digests && `sha256:${digests.whole}`, before, ...options });
  } catch {
    return reject("load_failed", "That it is there could not be recorded, so it was not loaded.", 0);
  }
  const named = checkFileName(file.type);
  if (named !== null) return reject(named.code, named.message, null);
  if (file.size > MAX_FILE_BYTES) return reject("load_failed", `It has more than ${MAX_FILE_BYTES} bytes.`, null);
  if (file.beside.fault !== null) return reject("load_failed", file.beside.fault, null);
  if (digests === null) return reject("load_failed", "It cannot be read.", Date.now() + AGAIN_MS);
  if (options.closing.aborted) return reject("load_failed", "The host is stopping.", 0);
  return load(file, digests, options);
};

const load = async (file: PluginFile, digests: Digests, options: KnowPluginOptions): Promise<KnownPlugin> => {
  const { closing, fault } = options;
  const reject = rejecting(file);
  const plugin = new Plugin({ ...options, file, digest: digests.own, whole: digests.whole });
  const close = (): void => void plugin.close();
  closing.addEventListener("abort", close, { once: true });
  try {
    return await judge(plugin, file, digests);
  } catch (error) {
    if (!(error instanceof NotLoaded)) {
      await plugin.close();
      fault(`${file.place} could not be started: ${(error as Error).message}`);
      return reject("load_failed", "It could not be started.", Date.now() + AGAIN_MS);
    }
    if (error.untyped) {
      const entry = unreadEntry(file, error.message);
      return { file, generator: { plugin, entry }, rejected: null, againAt: null };
    }
    return reject("load_failed", error.message, error.passing ? Date.now() + AGAIN_MS : null);
  } finally {
    closing.removeEventListener("abort", close);
  }
};

const judge = async (plugin: Plugin, file: PluginFile, digests: Digests): Promise<KnownPlugin> => {
  const { members, generates } = await plugin.describe();
  if ((await readDigests(file))?.whole !== digests.whole) {
    await plugin.close();
    return rejecting(file)("load_failed", "It changed while it was loaded, so it is loaded again.", 0);
  }
  const checked = checkExport({ members, generates, name: file.name, type: file.type });
  if (checked.ok) return { file, generator: { plugin, entry: checked.entry }, rejected: null, againAt: null };
  await plugin.close();
  return rejecting(file)(checked.code, checked.message, null);
};

type Reject = (code: RejectedPlugin["reason_code"], message: string, againAt: number | null) => KnownPlugin;

const rejecting =
  (file: PluginFile): Reject =>
  (reason_code, message, againAt) => {
    const told = withoutPlace(message, file).slice(0, MAX_MESSAGE);
    return { file, generator: null, rejected: { plugin_path: file.name, reason_code, message: told }, againAt };
  };

/** One that is there and cannot say anything of itself. */
const unreadEntry = ({ name, type }: PluginFile, unavailable: string): GeneratorEntry => {
  const members = { type, version: "unknown" };
  const checked = checkExport({ members, generates: true, name, type });
  if (!checked.ok) throw new HostError(`the type ${type} was found good`);
  return { ...checked.entry, unavailable };
};

type Digests = Awaited<ReturnType<typeof digestWithBeside>>;

/** Null: it cannot be read, or is more than is loaded. */
const readDigests = async ({ folder, name, size, beside }: PluginFile): Promise<Digests | null> => {
  if (size > MAX_FILE_BYTES || beside.fault !== null) return null;
  return digestWithBeside(folder, name, beside.names).catch(() => null);
};

interface Recording extends Pick<KnowPluginOptions, "changed" | "recorded"> {
  readonly file: PluginFile;
  readonly digest: string | null;
  readonly before: KnownPlugin | null;
}

/** One that is only tried again, or was there when the host last ran, is no change. */
const record = async ({ file, digest, before, changed, recorded }: Recording): Promise<void> => {
  const last = (await recorded.all()).get(file.place);
  // Of one that cannot be read, all that can be seen is that it is another.
  const isSame = digest !== null || before === null || before.file.signature === file.signature;
  if (last === digest && isSame) return;
  await changed({ type: file.type, path: file.place, digest, what: last === undefined ? "added" : "changed" });
  await recorded.note(file.place, digest);
};
