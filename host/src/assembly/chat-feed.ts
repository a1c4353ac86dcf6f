/**
 * The events of one run as they come from another process, for each who iterates from the first. It keeps all of them; the
 * host that runs it bounds what one run tells.
 */
import type { RunEvent } from "../kernel/agent.ts";

export interface ChatFeed {
  readonly stream: AsyncIterable<RunEvent>;
  readonly push: (event: RunEvent) => void;
  /** `error`: what whoever iterates is thrown after the last event. */
  end(error?: Error): void;
}

export const createChatFeed = (): ChatFeed => {
  const events: RunEvent[] = [];
  let ended: { readonly error: Error | undefined } | null = null;
  let changed = Promise.withResolvers<void>();
  const tell = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  return {
    stream: {
      async *[Symbol.asyncIterator]() {
        for (let next = 0; ;) {
          const event = events[next];
          if (event !== undefined) {
            next++;
            yield event;
          } else if (ended === null) await changed.promise;
          else if (ended.error === undefined) return;
          else throw ended.error;
        }
      },
    },
    push(event) {
      events.push(event);
      tell();
    },
    end(error) {
      ended ??= { error };
      tell();
    },
  };
};
