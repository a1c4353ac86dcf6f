/** Where a bundle comes from as evidence says it: of an address no query and no user, which may be secrets, but the hash of all. */
import { hashSource } from "../bundles/entry-source.ts";
import type { RawEntry } from "./config-entries.ts";

const NAMED: ReadonlySet<string> = new Set(["name", "version", "path", "serverName"]);

export const evidenceSource = (raw: RawEntry): object => {
  const named = Object.fromEntries(
    Object.entries(raw).filter(([key, value]) => NAMED.has(key) && typeof value === "string"),
  );
  const { url } = raw;
  return typeof url === "string" ? { ...named, url: plainUrl(url), urlHash: `sha256:${hashSource(url)}` } : named;
};

const plainUrl = (text: string): string | null => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url === null ? null : `${url.protocol}//${url.host}${url.pathname}`;
};
