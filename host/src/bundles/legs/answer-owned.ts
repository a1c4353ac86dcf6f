/** Answers what a modern server asked of the host's extensions in one round, a few at a time. */
import { askError, type AskAnswer } from "../../kernel/ask.ts";
import type { ExtensionPort } from "../../kernel/host-extension.ts";
import type { Owned } from "./extension-input.ts";

const AT_ONCE = 4;
/** What the answers of one round may hold, the last few aside; who wants more asks in the next one. */
const MAX_LENGTH = 33_554_432;
const ROUND_FULL = askError(-32004, "The answers of this round hold as much as they may; ask again in the next one.", {
  retryAfterMs: 1,
});

/** Members of `inputResponses`, in the order of the questions. */
export const answerOwned = async (owned: readonly Owned[], port: ExtensionPort): Promise<string> => {
  const members: string[] = [];
  let length = 0;
  let taken = 0;
  const work = async (): Promise<void> => {
    while (taken < owned.length) {
      const index = taken++;
      const { key, method, params } = owned[index] as Owned;
      const isFull = length > MAX_LENGTH;
      const said = await (isFull ? port.decline(method, params, ROUND_FULL) : port.serve(method, params));
      length += said.json.length;
      members[index] = `${JSON.stringify(key)}:${valueOf(said)}`;
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, owned.length) }, work));
  return members.join(",");
};

const valueOf = ({ kind, json }: AskAnswer): string => (kind === "result" ? json : `{"error":${json}}`);
