/**
 * An event line without its payload; every hash of it stays valid. What was purged stays told: without it, a gap in the log
 * could not be explained.
 */
import { memberOf } from "../../kernel/scan-json.ts";

const WITHHELD = '{"chp_withheld": true}';

const PURGED = '"event_type": "evidence_purged"';

export const withholdPayload = (line: string): string => {
  if (line.includes(PURGED)) return line;
  const payload = memberOf(line, "payload");
  return payload === null ? line : line.slice(0, payload.start) + WITHHELD + line.slice(payload.end);
};
