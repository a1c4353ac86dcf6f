/**
 * What a modern server asks of the host's extensions inside a task. It is answered when the state of the task is asked for,
 * by an update of the host's own; the caller neither sees it nor answers it.
 */
import type { ExtensionPort } from "../../kernel/host-extension.ts";
import type { ProviderAnswer, ProviderRequest } from "../../kernel/provider.ts";
import { rawJson, rawMembers, type RawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { findJsonDefect, joinMembers, memberOf, membersOf, sliceJson } from "../../kernel/scan-json.ts";
import { answerOwned } from "./answer-owned.ts";
import { readOwned, type Owned } from "./extension-input.ts";
import { onlyKeys } from "./only-keys.ts";
import { isObject, type JsonObject } from "./read-message.ts";

type Send = (request: ProviderRequest) => Promise<ProviderAnswer>;

const NONE = rawJson("{}");
const MAX_ASKED = 1_024;
const WALK = { maxDepth: 64, numbers: false } as const;
/** A question that is still there after this is asked again, or its answer got lost. */
const ANSWER_AGAIN_MS = 5_000;
const MAX_REMEMBERED = 4_096;

/** The open questions of a task. */
interface TaskQuestions {
  readonly owned: readonly Owned[];
  readonly passed: readonly string[];
}

export const createTaskRounds = (send: Send, port: ExtensionPort): Send => {
  const answered = new RecentAnswers();

  const answer = async (request: ProviderRequest, owned: readonly Owned[]): Promise<void> => {
    const open = owned.filter(({ key }) => answered.isNew(request.name, key));
    if (open.length === 0) return;
    const responses = rawJson(`{${await answerOwned(open, port)}}`);
    try {
      await send(updateOf(request, responses));
    } catch (no) {
      // The state that was asked for is known all the same.
      if (!(no instanceof Refusal)) throw no;
    }
  };

  /** Only what is open, and not for the host: a server may take anything else for the host's answer. */
  const narrowed = async (request: ProviderRequest): Promise<ProviderRequest | ProviderAnswer> => {
    const state = await send({ ...request, method: "tasks/get", params: rawMembers(`"taskId":${taskIdOf(request)}`) });
    if (state.kind !== "result") return state;
    const object = rawJson(`{${request.params}}`);
    const given = memberOf(object, "inputResponses");
    return updateOf(
      request,
      given === null ? NONE : onlyKeys(sliceJson(object, given), readQuestions(state)?.passed ?? []),
    );
  };

  return async (request) => {
    if (request.method === "tasks/update" && port.offered.length > 0) {
      const next = await narrowed(request);
      return "kind" in next ? next : send(next);
    }
    const said = await send(request);
    const questions = isTask(request, said) ? readQuestions(said) : null;
    if (questions === null || questions.owned.length === 0) return said;
    if (request.method === "tasks/get") await answer(request, questions.owned);
    return { ...said, ...withoutOwned(said.json, questions) };
  };
};

type TaskAnswer = Exclude<ProviderAnswer, { kind: "error" }>;

const isTask = ({ method }: ProviderRequest, said: ProviderAnswer): said is TaskAnswer =>
  said.kind === "partial" ? said.resultType === "task" : said.kind === "result" && method === "tasks/get";

/** Null: it asks nothing, or not as the protocol describes, which others will say. */
const readQuestions = ({ json, value }: TaskAnswer): TaskQuestions | null => {
  const { status, inputRequests: requests } = value;
  if (status !== "input_required" || !isObject(requests)) return null;
  const keys = Object.keys(requests);
  if (keys.length > MAX_ASKED || findJsonDefect(json, WALK) !== null) return null;
  const owned = readOwned(Object.entries(requests));
  const ours = new Set(owned.map(({ key }) => key));
  return { owned, passed: keys.filter((key) => !ours.has(key)) };
};

/** With nothing left to ask it works, as far as its caller is concerned. */
const withoutOwned = (json: RawJson, { passed }: TaskQuestions): { json: RawJson; value: JsonObject } => {
  const members = membersOf(json).flatMap(({ key, keyStart, start, end }) => {
    if (key === "status" && passed.length === 0) return ['"status":"working"'];
    if (key !== "inputRequests") return [json.slice(keyStart, end)];
    const others = membersOf(json, start).filter((request) => passed.includes(request.key));
    return passed.length === 0 ? [] : [`"inputRequests":{${joinMembers(json, others)}}`];
  });
  const shown = rawJson(`{${members.join(",")}}`);
  return { json: shown, value: JSON.parse(shown) as JsonObject };
};

const taskIdOf = ({ name }: ProviderRequest): string => JSON.stringify(name);

const updateOf = (request: ProviderRequest, responses: RawJson): ProviderRequest => ({
  ...request,
  method: "tasks/update",
  params: rawMembers(`"taskId":${taskIdOf(request)},"inputResponses":${responses}`),
});

/** Several may ask after one task at once, and its server may be slow to take an answer. */
class RecentAnswers {
  readonly #at = new Map<string, number>();

  /** True once; from then on it is not, for a while. */
  isNew(task: string, key: string): boolean {
    const id = `${task}\n${key}`;
    const now = performance.now();
    if (now - (this.#at.get(id) ?? -Infinity) < ANSWER_AGAIN_MS) return false;
    this.#at.delete(id);
    this.#at.set(id, now);
    const [oldest] = this.#at.keys();
    if (this.#at.size > MAX_REMEMBERED && oldest !== undefined) this.#at.delete(oldest);
    return true;
  }
}
