/** `Prefer: wait=<seconds>` (RFC 7240): for how long a caller waits for a person's decision, in ms. Absent or odd: not at all. */
import type { IncomingHttpHeaders } from "node:http";

const WAIT = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;[^,]*)?(?=,|$)/i;
/** Longer than people look at something, shorter than what lies between takes an open request for a dead one. */
const MOST_S = 300;

export const readWait = ({ prefer }: IncomingHttpHeaders): number => {
  if (prefer === undefined) return 0;
  const [, seconds] = WAIT.exec(String(prefer)) ?? [];
  return seconds === undefined ? 0 : Math.min(Number(seconds), MOST_S) * 1000;
};
