/**
 * Stands between a server that asks and the caller that answers. Nothing is asked that the caller did not declare, every
 * round is evidence, and the gates are asked again before an answer goes back to the server.
 */
import { askError, type Ask, type AskAnswer, type Asker, type Completed, type Declared } from "../../kernel/ask.ts";
import { lacking } from "../../kernel/lacking.ts";
import type { Presented } from "../../kernel/principal.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { worksOnFiles, type RootsOf } from "../../kernel/roots.ts";
import { rootsOfCall } from "../../kernel/roots-of-call.ts";
import type { Opened } from "../../kernel/stages.ts";
import { isAmbiguous } from "./is-ambiguous.ts";
import { nameAsker } from "./name-asker.ts";

export interface AskRules {
  /** Writes down one round before its answer is passed on. */
  readonly recordRound: (call: Opened, round: Round) => Promise<void>;
  /** Gates 2 to 6, once more, for whoever gave the answer; throws their Refusal. */
  readonly recheck: (call: Opened, presented: Presented) => void;
  readonly rootsOf: RootsOf;
}

export interface Round {
  readonly method: string;
  readonly question: string;
  readonly answer: string;
}

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const REFUSED = -32600;
const CANCELLED: AskAnswer = { kind: "result", json: rawJson('{"action":"cancel"}') };

export class GovernedAsker implements Asker {
  readonly declared: Declared;
  readonly returns: boolean;
  readonly #call: Opened;
  readonly #rules: AskRules;
  #lacking: Readonly<Record<string, unknown>> | null = null;
  #no: Refusal | null = null;
  /** What the caller last showed: a token may be a fresh one by the time it answers. */
  #presented: Presented;

  constructor(call: Opened, rules: AskRules) {
    this.#call = call;
    this.#rules = rules;
    this.#presented = call.presented;
    this.declared = call.asker.declared;
    this.returns = call.asker.returns;
  }

  /** What the server asked for and the caller never declared. */
  get lacking(): Readonly<Record<string, unknown>> | null {
    return this.#lacking;
  }

  /** Why the call may not go on; set by the gates while a question was out. */
  get no(): Refusal | null {
    return this.#no;
  }

  held(): boolean {
    return this.#call.asker.held();
  }

  async ask(ask: Ask, signal: AbortSignal): Promise<AskAnswer> {
    if (isAmbiguous(ask.params))
      return askError(INVALID_PARAMS, "The params of this question can be read in two ways.");
    const roots = this.hostRoots(ask);
    if (roots === null && this.notes(ask))
      return askError(METHOD_NOT_FOUND, `The caller did not declare that it takes ${ask.method}.`);
    const asked = this.named(ask);
    const { presented, ...answer }: AskAnswer =
      roots === null ? await this.#call.asker.ask(asked, signal) : { kind: "result", json: roots };
    if (presented !== undefined) this.#presented = presented;
    // The call is over, and so is its evidence.
    if (signal.aborted) return answer;
    try {
      const { method, params } = asked;
      await this.#rules.recordRound(this.#call, { method, question: params, answer: answer.json });
      this.#rules.recheck(this.#call, this.#presented);
      return answer;
    } catch (no) {
      if (!(no instanceof Refusal)) throw no;
      this.#no = no;
      return withdrawn(ask, no);
    }
  }

  completion(ask: Ask): Completed | null {
    return lacking(ask, this.declared) === null ? (this.#call.asker.completion?.(ask) ?? null) : null;
  }

  /** True when the caller lacks what this question needs; remembered. */
  notes(ask: Ask): boolean {
    const needed = lacking(ask, this.declared);
    if (needed === null) return false;
    this.#lacking = { ...this.#lacking, ...needed };
    return true;
  }

  named(ask: Ask): Ask {
    const { provider, target } = this.#call;
    return provider === null ? nameAsker(ask, target.provider.name) : ask;
  }

  /** What the host answers by itself: a tool that works on files hears of the folders that it may work in from nobody else. */
  hostRoots(ask: Ask): RawJson | null {
    if (ask.method !== "roots/list") return null;
    return worksOnFiles(this.#call.required) || lacking(ask, this.declared) !== null ? this.listing() : null;
  }

  /** The folders that this call may work in. */
  listing(): RawJson {
    return (this.#call.roots ?? rootsOfCall(this.#rules.rootsOf, this.#call)).listing;
  }
}

const withdrawn = (ask: Ask, no: Refusal): AskAnswer => ({
  ...(ask.method === "elicitation/create" ? CANCELLED : askError(REFUSED, no.message)),
  withdraw: true,
});
