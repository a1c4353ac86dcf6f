/** The text of a meta file. What does not have every member in its right shape is none. */
import { isAuthors } from "./authors.ts";
import { isoOf } from "./head-line.ts";
import { parseObject } from "./parse-object.ts";
import { MAX_PREVIEW, MAX_TITLE, type Tally } from "./summarise.ts";

export interface Meta {
  readonly summary: Tally;
  /** How long the log was that the summary is of. */
  readonly logBytes: number;
  /** Somebody gave the title. */
  readonly isNamed: boolean;
}

export const MAX_META_BYTES = 8192;

export const encodeMeta = ({ summary, logBytes, isNamed }: Meta): string =>
  `${JSON.stringify({ ...summary, isNamed, logBytes })}\n`;

export const decodeMeta = (text: string, id: string): Meta | null => {
  const raw = parseObject(text);
  if (raw?.["id"] !== id) return null;
  const { createdAt, updatedAt, title, preview, totalCostUsd, isNamed, logBytes, authors, isCostUnknown } = raw;
  const { messageCount, totalInputTokens, totalOutputTokens } = raw;
  const isWhole =
    isTime(createdAt) &&
    isTime(updatedAt) &&
    isText(title, MAX_TITLE) &&
    isText(preview, MAX_PREVIEW) &&
    isCount(messageCount) &&
    isCount(totalInputTokens) &&
    isCount(totalOutputTokens) &&
    (totalCostUsd === null || (typeof totalCostUsd === "number" && totalCostUsd >= 0)) &&
    typeof isNamed === "boolean" &&
    typeof isCostUnknown === "boolean" &&
    isAuthors(authors) &&
    isCount(logBytes);
  if (!isWhole) return null;
  const totals = { totalInputTokens, totalOutputTokens, totalCostUsd };
  const summary = { id, createdAt, updatedAt, title, messageCount, preview, ...totals, authors, isCostUnknown };
  return { summary, logBytes, isNamed };
};

const isTime = (value: unknown): value is string => typeof value === "string" && isoOf(value) === value;
const isText = (value: unknown, most: number): value is string => typeof value === "string" && value.length <= most;
const isCount = (value: unknown): value is number => typeof value === "number" && value >= 0 && Number.isFinite(value);
