/** One plug-in file as it was found: recorded, loaded and judged. */
import type { GeneratorEntry } from "../generators/generator-entry.ts";
import { checkExport, checkFileName } from "./check-export.ts";
import { NotLoaded, Plugin, type PluginOptions } from "./plugin.ts";
import { digestFile, type PluginFile } from "./plugin-files.ts";

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
  readonly digest: string | null;
  /** That it is there stands in evidence. */
  readonly recorded: boolean;
  /** Null: it is rejected. */
  readonly generator: { readonly plugin: Plugin; readonly entry: GeneratorEntry } | null;
  readonly rejected: RejectedPlugin | null;
  /** When it may be tried again as it is; null: when it changes. */
  readonly againAt: number | null;
}

export interface KnowPluginOptions extends Omit<PluginOptions, "file" | "digest"> {
  readonly changed: (change: PluginChange) => Promise<void>;
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
  const reject = (reason_code: RejectedPlugin["reason_code"], message: string, againAt: number | null): KnownPlugin => {
    const rejected = { plugin_path: file.name, reason_code, message: message.slice(0, MAX_MESSAGE) };
    return { file, digest, recorded: true, generator: null, rejected, againAt };
  };
  const digest = await readDigest(file);
  try {
    await record({ file, digest, before, changed: options.changed });
  } catch {
    const failed = reject("load_failed", "That it is there could not be recorded, so it was not loaded.", 0);
    return { ...failed, digest: before?.digest ?? null, recorded: before?.recorded ?? false };
  }
  const named = checkFileName(file.type);
  if (named !== null) return reject(named.code, named.message, null);
  if (file.size > MAX_FILE_BYTES) return reject("load_failed", `It has more than ${MAX_FILE_BYTES} bytes.`, null);
  if (digest === null) return reject("load_failed", "It cannot be read.", Date.now() + AGAIN_MS);
  const plugin = new Plugin({ ...options, file, digest: digest.slice("sha256:".length) });
  try {
    const { members, generates } = await plugin.describe();
    const checked = checkExport({ members, generates, name: file.name, type: file.type });
    if (checked.ok) {
      const generator = { plugin, entry: checked.entry };
      return { file, digest, recorded: true, generator, rejected: null, againAt: null };
    }
    await plugin.close();
    return reject(checked.code, checked.message, null);
  } catch (error) {
    if (!(error instanceof NotLoaded)) throw error;
    return reject("load_failed", error.message, error.passing ? Date.now() + AGAIN_MS : null);
  }
};

const readDigest = async ({ path, size }: PluginFile): Promise<string | null> => {
  if (size > MAX_FILE_BYTES) return null;
  const hex = await digestFile(path).catch(() => null);
  return hex === null ? null : `sha256:${hex}`;
};

interface Recording {
  readonly file: PluginFile;
  readonly digest: string | null;
  readonly before: KnownPlugin | null;
  readonly changed: KnowPluginOptions["changed"];
}

/** One that is only tried again is no change. */
const record = async ({ file, digest, before, changed }: Recording): Promise<void> => {
  const isKnown = before?.recorded === true;
  if (isKnown && before.digest === digest && before.file.signature === file.signature) return;
  await changed({ type: file.type, path: file.place, digest, what: isKnown ? "changed" : "added" });
};
