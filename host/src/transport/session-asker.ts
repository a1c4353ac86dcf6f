/** The client of a legacy session as somebody who can be asked: real requests on the stream of its own call. */
import {
  NOBODY,
  NOTHING_DECLARED,
  type Ask,
  type AskAnswer,
  type Asker,
  type Completed,
  type Declared,
} from "../kernel/ask.ts";
import { canBeAsked } from "./can-be-asked.ts";
import type { NoticeSink } from "./notice-sink.ts";
import type { Session } from "./sessions.ts";

/** May the client be asked anything at all? Clients that take no stream cannot be reached. */
export const sessionAsker = (session: Session, reply: NoticeSink): Asker => {
  const { declared } = session;
  if (!canBeAsked(declared)) return quiet(declared);
  return reply.takesNotices ? new SessionAsker(session, reply) : quiet(NOTHING_DECLARED);
};

const quiet = (declared: Declared): Asker => (declared === NOTHING_DECLARED ? NOBODY : { ...NOBODY, declared });

class SessionAsker implements Asker {
  readonly declared: Declared;
  readonly returns = false;
  readonly #session: Session;
  readonly #reply: NoticeSink;

  constructor(session: Session, reply: NoticeSink) {
    this.declared = session.declared;
    this.#session = session;
    this.#reply = reply;
  }

  /** The call's own request stays open all the while. */
  held(): boolean {
    return false;
  }

  ask(ask: Ask, signal: AbortSignal): Promise<AskAnswer> {
    return this.#session.asks.ask({ ask, signal, write: (text) => this.#reply.ask(text) });
  }

  completion(): Completed {
    return this.#session.asks.completed;
  }
}
