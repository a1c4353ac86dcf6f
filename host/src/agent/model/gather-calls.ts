/**
 * Gathers the tool calls of one answer from the parts of its stream. They are told at the end only: whether the
 * arguments of the last one were cut is known by the reason why the answer ended.
 */
import { makeId } from "../../kernel/make-id.ts";
import type { ModelToolCall } from "../../kernel/model.ts";

interface Gathered {
  readonly id: string;
  readonly name: string;
  text: string;
  /** The provider said that it is whole. */
  isWhole: boolean;
}

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const LONGEST_NAME = 256;

export class GatheredCalls {
  readonly #all: Gathered[] = [];
  /** By the id that the model gave, which need not be its own. */
  readonly #open = new Map<string, Gathered>();

  start(id: string, name: string): Gathered {
    const call: Gathered = { id, name, text: "", isWhole: false };
    this.#all.push(call);
    this.#open.set(id, call);
    return call;
  }

  add(id: string, text: string): void {
    const call = this.#open.get(id);
    if (call !== undefined) call.text += text;
  }

  /** `input` is the whole text of the arguments; the SDK writes `{}` where the model wrote nothing. */
  end(id: string, name: string, input: string): void {
    const call = this.#open.get(id) ?? this.start(id, name);
    this.#open.delete(id);
    call.isWhole = true;
    if (call.text === "" && input !== "{}") call.text = input;
  }

  /** `isCut`: the answer ended because there was no room for more. */
  finish(isCut: boolean): ModelToolCall[] {
    const used = new Set<string>();
    const last = this.#all.at(-1);
    return this.#all.map((call) => {
      const { id, name, text } = call;
      const isWritten = call.isWhole && !(isCut && call === last && text === "");
      const inputText = text === "" && isWritten ? "{}" : text;
      const input = isWritten ? parseObject(inputText) : null;
      return { id: takeId(id, used), name: name.slice(0, LONGEST_NAME), input, inputText };
    });
  }
}

const takeId = (id: string, used: Set<string>): string => {
  const taken = ID.test(id) && !used.has(id) ? id : makeId("call_");
  used.add(taken);
  return taken;
};

const parseObject = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
};
