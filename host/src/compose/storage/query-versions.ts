/**
 * What `query_ephemeral_storage` finds: by content, then oldest first. The filter says which versions count, the strategy
 * which of those are meant. Pages follow a cursor that names the last row, so that what comes in between moves nothing.
 */
import { ComposeError } from "../compose-error.ts";
import { checkAnyId } from "../configs/config-id.ts";
import { contentNotFound } from "./content-not-found.ts";
import { readStrategy } from "./pick-versions.ts";
import type { StoredVersion } from "./stored-version.ts";
import { compareVersionIds, isVersionId } from "./version-id.ts";
import type { VersionStore } from "./version-store.ts";

export interface VersionQuery {
  readonly contentId?: string;
  readonly strategy: string;
  readonly filter?: {
    readonly generator_type?: string;
    readonly since?: string;
    readonly until?: string;
    readonly approved?: boolean;
  };
  readonly limit: number;
  /** A page that is shown with its texts ends before it has more of them than that, and has one row at least. */
  readonly textBytes?: number;
  readonly cursor?: string;
}

export interface VersionPage {
  /** Of all that match. */
  readonly total: number;
  readonly rows: readonly StoredVersion[];
  readonly nextCursor: string | null;
}

export const queryVersions = async (store: VersionStore, query: VersionQuery): Promise<VersionPage> => {
  const pick = readStrategy(query.strategy);
  const counts = readFilter(query.filter ?? {});
  const after = query.cursor === undefined ? null : readCursor(query.cursor);
  const ids = query.contentId === undefined ? await store.contentIds() : [checkAnyId(query.contentId)];
  const found: StoredVersion[] = [];
  for (const id of ids) {
    const versions = await store.versionsOf(id);
    if (query.contentId !== undefined && versions.length === 0) throw contentNotFound(id);
    for (const version of pick(counts === null ? versions : versions.filter(counts))) found.push(version);
  }
  const from = after === null ? 0 : found.findIndex((version) => isAfter(version, after));
  const rest = from === -1 ? [] : found.slice(from, from + query.limit);
  const rows = rest.slice(0, countWithin(rest, query.textBytes ?? Infinity));
  const isLast = from === -1 || from + rows.length >= found.length;
  return { total: found.length, rows, nextCursor: isLast ? null : cursorOf(rows.at(-1)) };
};

const countWithin = (rows: readonly StoredVersion[], maxBytes: number): number => {
  let size = 0;
  const end = rows.findIndex(({ size_bytes: own }, at) => (size += own) > maxBytes && at > 0);
  return end === -1 ? rows.length : end;
};

const timeOf = (name: string, text: string | undefined): number | null => {
  if (text === undefined) return null;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new ComposeError("invalid_input", `${name} is no time: ${JSON.stringify(text.slice(0, 100))}.`, {
    next: `Write ${name} as 2026-01-31T00:00:00.000Z.`,
  });
};

/** Null: all count. */
const readFilter = (filter: NonNullable<VersionQuery["filter"]>): ((version: StoredVersion) => boolean) | null => {
  const { generator_type: type, approved } = filter;
  const [since, until] = [timeOf("since", filter.since), timeOf("until", filter.until)];
  if (type === undefined && approved === undefined && since === null && until === null) return null;
  const isInTime = (version: StoredVersion): boolean => {
    if (since === null && until === null) return true;
    const time = Date.parse(version.timestamp);
    return (since === null || time >= since) && (until === null || time <= until);
  };
  return (version) =>
    (type === undefined || version.generator === type) &&
    (approved === undefined || version.approved === approved) &&
    isInTime(version);
};

type Place = Pick<StoredVersion, "content_id" | "version_id">;

/** Of the row after which the next page begins. */
const cursorOf = (row: Place | undefined): string | null =>
  row === undefined ? null : Buffer.from(`${row.content_id} ${row.version_id}`).toString("base64url");

const readCursor = (cursor: string): Place => {
  const [content_id = "", version_id = ""] = Buffer.from(cursor, "base64url").toString("utf8").split(" ");
  if (isVersionId(version_id)) return { content_id, version_id };
  throw new ComposeError("invalid_input", "The cursor is none that a query gave.", { next: "Query without a cursor." });
};

const isAfter = (version: Place, place: Place): boolean =>
  version.content_id === place.content_id
    ? compareVersionIds(version.version_id, place.version_id) > 0
    : version.content_id > place.content_id;
