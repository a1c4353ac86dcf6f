/** The SQL of lists and searches over the index: conditions, orders and what stands for the question marks. */
import type { FileQuery } from "../../kernel/files.ts";

export interface Condition {
  /** Empty or `WHERE …`. */
  readonly sql: string;
  readonly values: readonly string[];
}

export interface Filter {
  readonly tags?: readonly string[];
  readonly mimePrefix?: string;
  /** A bare type, exactly. */
  readonly mimeType?: string;
}

/** A file has no more tags than this, so a longer wish matches nothing; it also bounds the SQL. */
const MAX_TAGS = 32;
/** Sorts behind every continuation of a type. */
const LAST = "\u{10ffff}";

export const conditionOf = ({ tags = [], mimePrefix = "", mimeType }: Filter): Condition => {
  const distinct = Array.from(new Set(tags));
  if (distinct.length > MAX_TAGS) return { sql: "WHERE 0", values: [] };
  const parts = distinct.map(() => "seq IN (SELECT seq FROM tagged WHERE name = ?)");
  const values = [...distinct];
  const prefix = mimePrefix.trim().toLowerCase();
  if (prefix !== "") {
    parts.push("type >= ? AND type < ?");
    values.push(prefix, prefix + LAST);
  }
  if (mimeType !== undefined) {
    const type = mimeType.toLowerCase();
    parts.push("(type = ? OR (type >= ? AND type < ?))");
    values.push(type, `${type};`, `${type};${LAST}`);
  }
  return { sql: parts.length === 0 ? "" : `WHERE ${parts.join(" AND ")}`, values };
};

const COLUMNS: Readonly<Record<FileQuery["sort"], string>> = {
  createdAt: "created_at",
  filename: "filename COLLATE NOCASE",
  size: "size",
};

/** Each order has an index that runs both ways. */
export const orderOf = ({ sort, order }: Pick<FileQuery, "sort" | "order">): string => {
  const way = order === "desc" ? "DESC" : "ASC";
  return `ORDER BY ${COLUMNS[sort]} ${way}, id ${way}`;
};

/** Of the files of a JSON list: first those that have all terms in the filename, then those that have them in the labels. */
export const RANKED = `WITH hit (seq) AS MATERIALIZED (SELECT value FROM json_each(?))
  SELECT id, count(*) OVER () AS total,
    seq IN (SELECT rowid FROM label WHERE label MATCH ?) AS in_name,
    seq IN (SELECT rowid FROM label WHERE label MATCH ?) AS in_label
  FROM hit JOIN file USING (seq)
  ORDER BY in_name DESC, in_label DESC, created_at DESC, id LIMIT ?`;
