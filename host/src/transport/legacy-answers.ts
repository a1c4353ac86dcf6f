/** Requests in a legacy session, one or an array of them, and what they are answered. */
import type { Presented } from "../kernel/principal.ts";
import type { AnswerCall } from "./answer-call.ts";
import type { DoorParts } from "./door-parts.ts";
import { CANCELLED, createAnswerInSession, takeNotice, type SessionRequest } from "./legacy-methods.ts";
import type { Message } from "./message.ts";
import type { NoticeSink } from "./notice-sink.ts";
import type { Batch } from "./read-batch.ts";
import { internalErrorText } from "./rpc-text.ts";
import type { JsonAnswer } from "./send-json.ts";
import type { Session } from "./sessions.ts";

/** Called once; null: the client cancelled, nothing is owed. */
export type Done<R> = (answer: JsonAnswer | null, reply: R) => void;

type BatchPlace<R extends NoticeSink> = Pick<SessionRequest<R>, "exchange" | "session" | "reply">;

/** Neither rejects: a bug of ours ends here. */
export interface LegacyAnswers {
  one<R extends NoticeSink>(request: SessionRequest<R>, done: Done<R>): Promise<void>;
  /** At least one. */
  batch<R extends NoticeSink>(place: BatchPlace<R>, requests: readonly Message[], done: Done<R>): void;
}

export const createLegacyAnswers = ({ deps }: DoorParts, answerCall: AnswerCall): LegacyAnswers => {
  const answerInSession = createAnswerInSession(answerCall, deps.surfaces);

  const one: LegacyAnswers["one"] = async (request, done) => {
    const { session, message, reply, call } = request;
    const place = session.calls.add({ id: message.id ?? "", call });
    try {
      const said = await answerInSession(request);
      done(call.signal.reason === CANCELLED ? null : said, reply);
    } catch (error) {
      deps.report(error);
      done({ status: 500, text: internalErrorText(message.idText) }, reply);
    } finally {
      session.calls.remove(place);
    }
  };

  return {
    one,
    batch: (place, requests, done) => {
      const { reply } = place;
      const answers: (JsonAnswer | null)[] = [];
      let owed = requests.length;
      for (const [index, message] of requests.entries()) {
        void one({ ...place, message, call: new AbortController() }, (said) => {
          answers[index] = said;
          owed--;
          if (owed === 0) done(joinAnswers(answers), reply);
        });
      }
    },
  };
};

/** The requests of an array; its notices and answers, to which nothing is said, are taken on the way. */
export const takeUnanswered = (
  session: Session,
  { messages, responses }: Batch,
  presented: Presented,
): readonly Message[] => {
  for (const response of responses) session.asks.take(response, presented);
  for (const message of messages) if (message.idText === null) takeNotice(session, message);
  return messages.filter((message) => message.idText !== null);
};

const joinAnswers = (answers: readonly (JsonAnswer | null)[]): JsonAnswer | null => {
  const texts = answers.flatMap((said) => (said === null ? [] : [said.text]));
  return texts.length === 0 ? null : { status: 200, text: `[${texts.join(",")}]` };
};
