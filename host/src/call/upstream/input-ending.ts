/** The ending of a request whose caller comes back with answers. */
import type { Continued, Ending } from "../../kernel/call.ts";
import { commit } from "../../kernel/commit.ts";
import type { RawJson } from "../../kernel/raw-json.ts";
import { targetKey, type Opened } from "../../kernel/stages.ts";
import { nameQuestions } from "./name-asker.ts";

export interface Wanted {
  readonly kind: Continued["kind"];
  /** An `input_required` result. */
  readonly result: RawJson;
  /** The server's own state. */
  readonly state: RawJson | null;
}

export const inputEnding = (call: Opened, { kind, result: asked, state }: Wanted): Ending => {
  const { name } = call.target.provider;
  const result = call.provider === null ? nameQuestions(asked, name) : asked;
  const { id, salt } = call.invocation;
  const round = (call.continues?.round ?? 0) + 1;
  const continues = { kind, invocationId: id, round, questions: commit(salt, result), target: targetKey(call.target) };
  return { kind: "input", wanted: { continues, provider: name, result, state } };
};
