/** The configuration as the host uses it: every default filled in, entries sorted by kind, frozen. */
import type * as z from "zod/mini";
import type { configSchema } from "./schema/config-schema.ts";
import type { entrySchema } from "./schema/entry-schema.ts";
import type { sandboxSchema } from "./schema/sandbox-schema.ts";

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

export type ParsedConfig = z.output<typeof configSchema>;
export type ParsedEntry = z.output<typeof entrySchema>;
export type Sandbox = DeepReadonly<z.output<typeof sandboxSchema>>;

type Fields = DeepReadonly<ParsedEntry>;

interface EntryBase extends Pick<
  Fields,
  "protected" | "trustScore" | "ui" | "pinning" | "concurrency" | "timeoutMs" | "maxTimeoutMs" | "enabled"
> {
  readonly isolation: "shared" | "principal";
  /** Null: what the host offers by itself to this kind of entry. */
  readonly hostExtensions: readonly string[] | null;
}

interface ProcessEntry extends EntryBase, Pick<Fields, "env" | "userConfig" | "allowedEnv"> {
  /** As written; null: derived from the name. */
  readonly serverName: string | null;
  /** The entry's own, or the one of the whole file. */
  readonly sandbox: Sandbox;
}

export interface NameEntry extends ProcessEntry {
  readonly kind: "name";
  readonly name: string;
  /** Null: the newest. */
  readonly version: string | null;
  readonly args: readonly string[];
}

export interface PathEntry extends ProcessEntry {
  readonly kind: "path";
  /** As written: relative to the directory of the configuration file. */
  readonly path: string;
}

export interface UrlEntry extends EntryBase {
  readonly kind: "url";
  readonly url: string;
  readonly serverName: string;
  readonly transport: Fields["transport"];
}

export type BundleEntry = NameEntry | PathEntry | UrlEntry;

export interface Config extends DeepReadonly<Omit<ParsedConfig, "bundles">> {
  readonly bundles: readonly BundleEntry[];
  /** JSON pointers of the known keys that the file itself sets, in its order. */
  readonly given: readonly string[];
}
