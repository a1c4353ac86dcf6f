/** For tests: a model that remembers nothing and does what the person's last message says, also after a restart of the host. */
import { startModelStub, type ModelStub } from "../agent/model/model-stub-for-tests.ts";
import type { StubRequest, StubTurn } from "../agent/model/stub-turn-for-tests.ts";

export type { ModelStub, StubRequest, StubTurn };

/** The answers to one message, in order. */
export type Play = (message: string) => readonly StubTurn[];

interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** Listens on the wire of OpenAI. */
export const startObedientModel = (play: Play): Promise<ModelStub> =>
  startModelStub((request) => {
    const messages = request.body["messages"] as readonly Message[];
    const said = messages.findLastIndex(({ role }) => role === "user");
    const iteration = messages.slice(said + 1).filter(({ role }) => role === "assistant").length;
    return play(messageOf(request))[iteration] ?? { text: "There is nothing left to do." };
  });

/** What the person wrote last, without what the host adds to it. */
export const messageOf = ({ body }: Pick<StubRequest, "body">): string => {
  const messages = body["messages"] as readonly Message[];
  const content = messages.findLast(({ role }) => role === "user")?.content;
  const text =
    typeof content === "string" ? content : (content as { text: string }[]).map((part) => part.text).join("");
  return (text.split("<runtime-context>", 1)[0] ?? "").trim();
};

/** The settings of a host that asks this model. */
export const modelSettings = ({ url }: Pick<ModelStub, "url">): object => ({
  defaultModel: "local:small",
  providers: { local: { type: "openai-compatible", baseURL: url } },
});
