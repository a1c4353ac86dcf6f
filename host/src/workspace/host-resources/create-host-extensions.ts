/**
 * The extensions that this host offers to bundles, with what belongs to the host and not to a process: how often each bundle
 * may ask, how much is read at once, and the tokens of those that ask over HTTP.
 */
import type { Config } from "@bailiwick/contract";
import type { FilesOf } from "../../kernel/files.ts";
import {
  HOST_EXTENSIONS,
  type BundleIdentity,
  type ExtensionPort,
  type HostExtensions,
} from "../../kernel/host-extension.ts";
import { ByteGate } from "./byte-gate.ts";
import type { ExtensionUse } from "./extension-use.ts";
import { ExtensionTokens } from "./extension-tokens.ts";
import { RefusalTally } from "./refusal-tally.ts";
import { RenderedLists } from "./rendered-lists.ts";
import { ResourcePort, type JudgeUse, type PortParts } from "./resource-port.ts";
import { TokenBucket } from "./token-bucket.ts";

export interface HostExtensionsOptions {
  readonly files: FilesOf;
  /** As they are now. */
  readonly settings: () => Config["hostResources"];
  /** Of the host's listener, as bundles reach it; null: nobody listens. */
  readonly origin: () => string | null;
  readonly judge: JudgeUse;
  /** Resolves when it is as durable as evidence is; rejects when it cannot be written, and then nothing is given out. */
  readonly record: (use: ExtensionUse) => Promise<void>;
  /** A bug of ours, which the bundle hears of without its inside. */
  readonly report: (bug: unknown) => void;
  readonly now?: () => number;
}

export interface OfferedExtensions extends HostExtensions {
  /** The port of the bundle that was given this token; null: it is not ours, expired or revoked. */
  find(token: string): Pick<ExtensionPort, "serve"> | null;
}

const READ_AT_ONCE = 33_554_432;
/** Beyond this, buckets that are full again, which is as good as new, are forgotten. */
const MANY_BUCKETS = 1_024;

export const createHostExtensions = (options: HostExtensionsOptions): OfferedExtensions => {
  const { files, settings, origin, judge, record, report, now = Date.now } = options;
  const buckets = new Map<string, TokenBucket>();
  const tokens = new ExtensionTokens<ResourcePort>(now);

  const bucketOf = ({ workspace, provider }: BundleIdentity): TokenBucket => {
    const key = JSON.stringify([workspace, provider]);
    const known = buckets.get(key);
    if (known) return known;
    if (buckets.size >= MANY_BUCKETS) {
      for (const [each, bucket] of buckets) if (bucket.isFull(now())) buckets.delete(each);
    }
    const made = new TokenBucket(settings, now());
    buckets.set(key, made);
    return made;
  };

  const parts: Omit<PortParts, "maxReadBytes"> = {
    files,
    origin,
    judge,
    record,
    report,
    now,
    gate: new ByteGate(READ_AT_ONCE),
    lists: new RenderedLists(files),
    refusals: new RefusalTally({ record, report, now }),
    tokens,
    spend: (bundle) => bucketOf(bundle).take(now()),
  };

  return {
    port: (bundle, keys) => {
      const { enabled, maxReadBytes } = settings();
      const had = enabled ? HOST_EXTENSIONS : [];
      const offered = had.filter((key) => keys.includes(key));
      return new ResourcePort(bundle, offered, { ...parts, maxReadBytes });
    },
    find: (token) => tokens.find(token),
  };
};
