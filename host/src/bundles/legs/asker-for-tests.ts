/** For tests: a caller that can be asked, as the doors would be one. */
import { askError, type Ask, type AskAnswer, type Asker } from "../../kernel/ask.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import type { Connection } from "../connection.ts";

export interface TestAsker extends Asker {
  readonly asked: Ask[];
  readonly aborted: Ask[];
  /** Answers the oldest question that is out, or the next one that comes. */
  answer(json: string): void;
  /** The caller leaves its questions for later, or is back. */
  park(held: boolean): void;
}

/** Without `said` it answers when the test does. */
export const createAsker = (declared = "{}", said?: (ask: Ask) => AskAnswer): TestAsker => {
  const asked: Ask[] = [];
  const aborted: Ask[] = [];
  const out: ((answer: AskAnswer) => void)[] = [];
  let held = false;
  return {
    asked,
    aborted,
    declared: { json: rawJson(declared), value: JSON.parse(declared) as Record<string, unknown> },
    returns: false,
    held: () => held,
    park: (now) => {
      held = now;
    },
    answer: (json) => out.shift()?.({ kind: "result", json: rawJson(json) }),
    ask: (ask, signal) => {
      asked.push(ask);
      if (said) return Promise.resolve(said(ask));
      const { promise, resolve } = Promise.withResolvers<AskAnswer>();
      out.push(resolve);
      signal.addEventListener("abort", () => {
        aborted.push(ask);
        resolve(askError(-32600, "gone"));
      });
      return promise;
    },
  };
};

export const elicit = (id: string, members = ""): { id: string; method: string; params: string } => ({
  id,
  method: "elicitation/create",
  params: `{"message":${JSON.stringify(id)},"n":1.0${members}}`,
});

/** What the asking server was sent, in its order. */
export const seenBy = async (server: Connection): Promise<string[]> => {
  const { tools } = await server.list(new AbortController().signal);
  return tools.find(({ name }) => name === "state")?.value["seen"] as string[];
};

/** The answers that it got to questions of this name. */
export const answersTo = async (server: Connection, id: unknown): Promise<unknown[]> => {
  const seen = await seenBy(server);
  const messages = seen.map((text) => JSON.parse(text) as { readonly id: unknown; readonly method?: string });
  return messages.filter((message) => message.id === id && message.method === undefined);
};
