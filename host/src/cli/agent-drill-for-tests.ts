/** A person who talks with the agent of a host that is killed under them, and remembers what they were told. */
import { createParser } from "eventsource-parser";
import type { ChatResult, RunEvent } from "../kernel/agent.ts";
import type { StoredMessage } from "../kernel/conversation.ts";
import type { Served } from "./drill-for-tests.ts";

type Of<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** One message and all that was heard of its answer. */
export interface Heard {
  readonly events: RunEvent[];
  /** When the stream is over, however that came. */
  readonly ended: Promise<void>;
  of<T extends RunEvent["type"]>(type: T): readonly Of<T>[];
}

export const talk = (host: Served, order: object): Heard => {
  const events: RunEvent[] = [];
  const read = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${host.key}`, "content-type": "application/json" };
    const response = await fetch(`${host.origin}/v1/chat/stream`, {
      method: "POST",
      headers,
      body: JSON.stringify(order),
    });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    const parser = createParser({
      onEvent: ({ event, data }) => void events.push({ type: event, ...JSON.parse(data) } as RunEvent),
    });
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) parser.feed(decoder.decode(piece, { stream: true }));
  };
  return {
    events,
    // A host that is gone says nothing more; what it refused is a fault of the test.
    ended: read().catch((error: unknown) => {
      if (!(error instanceof TypeError)) throw error;
    }),
    of: (type) => events.filter((event): event is Of<typeof type> => event.type === type),
  };
};

/** Until its end; throws where it has another than `done`. */
export const talkOut = async (host: Served, order: object): Promise<ChatResult> => {
  const heard = talk(host, order);
  await heard.ended;
  const [done] = heard.of("done");
  if (done === undefined) throw new Error(`no end: ${JSON.stringify(heard.events.at(-1))}`);
  return done;
};

export const historyOf = async ({ origin, key }: Served, id: string): Promise<readonly StoredMessage[]> => {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${origin}/v1/conversations/${id}/history`, { headers });
  const body = (await response.json()) as { messages: readonly StoredMessage[] };
  if (response.status !== 200) throw new Error(JSON.stringify(body));
  return body.messages;
};
