/**
 * Questions for roots of a modern server that the host answers by itself, beside others that only the caller can answer. The
 * caller sees the others alone; these travel in the state and are answered when it comes back.
 */
import type { Ask } from "../../kernel/ask.ts";
import type { CallInput } from "../../kernel/provider.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { worksOnFiles } from "../../kernel/roots.ts";
import { joinMembers, memberOf, membersOf, sliceJson } from "../../kernel/scan-json.ts";
import type { Opened } from "../../kernel/stages.ts";

export interface Relayed {
  /** The `input_required` result as the caller gets it. */
  readonly result: RawJson;
  readonly state: RawJson | null;
}

/** Leaves `own` out of the questions. */
export const setRootsAside = (relayed: Relayed, own: readonly Ask[]): Relayed => {
  if (own.length === 0) return relayed;
  const { result, state } = relayed;
  const asked = own.map(({ key, params }) => `${JSON.stringify(key)}:${params}`);
  return {
    result: leaveOut(result, own),
    // A server's own state is a string, so an object is the host's.
    state: rawJson(`{"roots":{${asked.join(",")}},"state":${state ?? "null"}}`),
  };
};

/** The same text without these questions. */
export const leaveOut = (result: RawJson, own: readonly Ask[]): RawJson => {
  const asked = memberOf(result, "inputRequests");
  if (asked === null) return result;
  const keys = new Set(own.map(({ key }) => key));
  const kept = membersOf(result, asked.start).filter(({ key }) => !keys.has(key));
  return rawJson(`${result.slice(0, asked.start)}{${joinMembers(result, kept)}}${result.slice(asked.end)}`);
};

export interface RootAnswers {
  readonly input: CallInput;
  /** What the host answered, as it was asked; `null`: only a caller spoke of roots, and nobody had asked it. */
  readonly questions: readonly RawJson[];
}

/** What a caller brought, as it goes to the server. `listing`: the host's answer to a question for roots. */
export const addRootAnswers = (
  { input, required }: Pick<Opened, "input" | "required">,
  listing: () => RawJson,
): RootAnswers | null => {
  if (input === null) return null;
  const { asked, state } = readState(input.state);
  const said = input.responses && ownRoots(input.responses, required, listing);
  const unasked = said === input.responses ? [] : [rawJson("null")];
  if (asked.size === 0) return { input: unasked.length === 0 ? input : { responses: said, state }, questions: unasked };
  const others = said === null ? "" : membersWithout(said, asked);
  const own = [...asked.keys()].map((key) => `${JSON.stringify(key)}:${listing()}`);
  const responses = rawJson(`{${[...(others === "" ? [] : [others]), ...own].join(",")}}`);
  return { input: { responses, state }, questions: [...asked.values(), ...unasked] };
};

/** What a caller says to a question of the host's is not passed on. */
export const membersWithout = (responses: RawJson, keys: { has(key: string): boolean }): string =>
  joinMembers(
    responses,
    membersOf(responses).filter(({ key }) => !keys.has(key)),
  );

/** Nobody but the host tells a tool that works on files where it may: whatever answer has roots has those of the host. */
export const ownRoots = (responses: RawJson, required: readonly string[], listing: () => RawJson): RawJson => {
  if (!worksOnFiles(required)) return responses;
  let own: string = responses;
  for (const { start, end } of membersOf(responses).toReversed()) {
    if (hasRoots(JSON.parse(responses.slice(start, end)))) own = own.slice(0, start) + listing() + own.slice(end);
  }
  return rawJson(own);
};

interface OwnState {
  /** By its key, what the server asked about roots. */
  readonly asked: ReadonlyMap<string, RawJson>;
  readonly state: RawJson | null;
}

const NOTHING_ASKED: ReadonlyMap<string, RawJson> = new Map();

const readState = (state: RawJson | null): OwnState => {
  if (state === null || !state.startsWith("{")) return { asked: NOTHING_ASKED, state };
  const [roots, own] = [memberOf(state, "roots"), memberOf(state, "state")];
  const questions = roots === null ? [] : membersOf(state, roots.start);
  const inner = own && sliceJson(state, own);
  return {
    asked: new Map(questions.map((member) => [member.key, sliceJson(state, member)])),
    state: inner === "null" ? null : inner,
  };
};

const hasRoots = (answer: unknown): boolean => typeof answer === "object" && answer !== null && "roots" in answer;
