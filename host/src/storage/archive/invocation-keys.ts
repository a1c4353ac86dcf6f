/**
 * To which call an event belongs, for events as they come, oldest first. Two callers may choose the same ids, so it is the
 * caller's too; but what was decided about a call is part of it, whoever decided.
 */
import { callerOf, callKey } from "../open-calls.ts";
import { approvalKeyOf, isDecision, isRequest } from "./approval-key.ts";
import type { Json } from "./archive-parts.ts";

const HOST_ITSELF = "host";
/** Of calls that wait at the same time; the oldest is forgotten first. */
const MAX_ASKED = 10_000;

export class InvocationKeys {
  readonly #asked = new Map<string, string>();

  of(event: Json): string {
    const id = String(event["invocation_id"]);
    if (id === HOST_ITSELF) return id;
    const { correlation_id: correlation } = (event["correlation"] ?? {}) as Json;
    const own = callKey(id, String(correlation), callerOf(event["subject"]));
    // Several calls may ask for one approval; decisions carry the ids of the one that asked first.
    const asked = `${approvalKeyOf(event)}\n${String(correlation)}\n${id}`;
    if (isDecision(event)) return this.#asked.get(asked) ?? own;
    if (isRequest(event)) this.#ask(asked, own);
    return own;
  }

  #ask(key: string, call: string): void {
    this.#asked.set(key, call);
    if (this.#asked.size > MAX_ASKED) this.#asked.delete(this.#asked.keys().next().value ?? "");
  }
}
