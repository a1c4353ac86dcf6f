/**
 * How a modern server makes use of the host's extensions: by an `input_required` result whose questions are theirs. They
 * are answered here, and the same call goes on. Where questions for the caller stand beside them, only those are handed on;
 * what is ours is kept in the state that the server gets back, and served when the caller's answers come.
 */
import type { ExtensionPort } from "../../kernel/host-extension.ts";
import type { CallInput, ProviderAnswer, ProviderRequest } from "../../kernel/provider.ts";
import { rawJson, rawMembers } from "../../kernel/raw-json.ts";
import { insertMembers } from "../../kernel/scan-json.ts";
import { answerOwned } from "./answer-owned.ts";
import { splitInput, unwrapState, type AskedInput } from "./extension-input.ts";
import { unusableAnswer } from "./leg-refusals.ts";
import { onlyKeys } from "./only-keys.ts";
import { unaskedAnswers } from "./unasked-answers.ts";

type Send = (request: ProviderRequest) => Promise<ProviderAnswer>;

const NONE = rawJson("{}");
const MAX_ROUNDS = 32;

/**
 * A server that may ask the host takes an answer under the key of such a question for the host's. So where it may, a caller
 * answers what it was asked, in the round in which it was; of what it says unasked, only what cannot be the host's goes on.
 */
export const createRounds =
  (send: Send, port: ExtensionPort): Send =>
  async (request) => {
    const isOffered = port.offered.length > 0;
    let next = request.input === null ? request : { ...request, input: await resume(request.input, port, isOffered) };
    for (let round = 0; ; round++) {
      const answer = await send(next);
      if (answer.kind !== "partial" || answer.resultType !== "input_required") return answer;
      const wanted = splitInput(answer);
      if (wanted === null || (wanted.owned.length === 0 && !isOffered)) return answer;
      if (wanted.rest !== null) return { ...answer, ...wanted.rest };
      if (round === MAX_ROUNDS) throw askedTooOften();
      next = { ...request, input: await inputFor(wanted, port) };
    }
  };

const inputFor = async ({ owned, state }: AskedInput, port: ExtensionPort): Promise<CallInput> => ({
  responses: rawJson(`{${await answerOwned(owned, port)}}`),
  state,
});

/** The caller's answers are there, and ours are put beside them; null: nothing was asked, so it is a new call. */
const resume = async (input: CallInput, port: ExtensionPort, isOffered: boolean): Promise<CallInput | null> => {
  const { responses, state } = input;
  const asked = state === null ? null : unwrapState(state);
  if (asked !== null) {
    const ours = await answerOwned(asked.owned, port);
    if (responses === null && ours === "") return { responses, state: asked.state };
    const theirs = onlyKeys(responses ?? NONE, asked.passed);
    return { responses: insertMembers(theirs, rawMembers(ours)), state: asked.state };
  }
  if (!isOffered) return input;
  if (state !== null) return { responses: null, state };
  const unasked = responses === null ? null : unaskedAnswers(responses);
  return unasked === null ? null : { responses: unasked, state };
};

const askedTooOften = (): Error =>
  unusableAnswer("too_many_rounds", `it asked the host for more after ${MAX_ROUNDS} rounds`);
