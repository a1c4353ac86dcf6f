/** What `cleanup_ephemeral` answers about what it removed, or would remove. Pure. */
import { bytesOf } from "./stored-version.ts";
import type { Cleaned } from "./version-store.ts";

export interface CleanedRow {
  readonly content_id: string;
  readonly versions_before: number;
  readonly versions_deleted: number;
  readonly versions_after: number;
  readonly bytes_freed: number;
  readonly oldest_kept: string | null;
  readonly latest_kept: string | null;
}

export interface CleanedTotals {
  readonly total_content_checked: number;
  readonly total_versions_deleted: number;
  readonly bytes_freed: number;
  readonly content_cleaned: readonly CleanedRow[];
}

const rowOf = ({ content_id, before, deleted }: Cleaned): CleanedRow => {
  const gone = new Set(deleted);
  const kept = before.filter((version) => !gone.has(version));
  return {
    content_id,
    versions_before: before.length,
    versions_deleted: deleted.length,
    versions_after: kept.length,
    bytes_freed: bytesOf(deleted),
    oldest_kept: kept[0]?.version_id ?? null,
    latest_kept: kept.at(-1)?.version_id ?? null,
  };
};

export const tellCleaned = (checked: number, cleaned: readonly Cleaned[]): CleanedTotals => {
  const rows = cleaned.map(rowOf);
  return {
    total_content_checked: checked,
    total_versions_deleted: rows.reduce((sum, row) => sum + row.versions_deleted, 0),
    bytes_freed: rows.reduce((sum, row) => sum + row.bytes_freed, 0),
    content_cleaned: rows,
  };
};
