/**
 * A reader's view of events as they come, oldest first: their own, and what others decided about their calls. Where two
 * callers asked under the same key, nobody is shown what was decided, because it cannot be told about whose call it was.
 */
import type { Principal } from "../../kernel/principal.ts";
import { approvalKeyOf, isDecision, isRequest } from "./approval-key.ts";
import type { Json } from "./archive-parts.ts";
import { maySee, seesAll } from "./may-see.ts";

/** Of calls that wait at the same time; the oldest is forgotten first. */
const MAX_ASKED = 10_000;

export const ownEvents = (reader: Principal): ((event: Json) => boolean) => {
  if (seesAll(reader)) return () => true;
  /** By key, whether the reader asked, and nobody else. */
  const asked = new Map<string, boolean>();
  return (event) => {
    const isOwn = maySee(reader, event);
    if (isRequest(event)) {
      const key = approvalKeyOf(event);
      asked.set(key, isOwn && asked.get(key) !== false);
      if (asked.size > MAX_ASKED) asked.delete(asked.keys().next().value ?? "");
    }
    return isOwn || (isDecision(event) && asked.get(approvalKeyOf(event)) === true);
  };
};
