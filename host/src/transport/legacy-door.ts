/**
 * Requests of the legacy era: the handshake, a session's messages, its stream, its end. A client that only loses its
 * connection does not cancel; `notifications/cancelled` does.
 */
import { itemsOf } from "../kernel/scan-json.ts";
import type { AnswerCall } from "./answer-call.ts";
import { unsupportedVersion, type Classified } from "./classify-request.ts";
import type { DoorParts } from "./door-parts.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Exchange } from "./exchange.ts";
import { createAnswerInSession, takeNotice } from "./legacy-methods.ts";
import { readMessage, type Message } from "./message.ts";
import { openSession } from "./open-session.ts";
import type { ParsedBody } from "./parse-body.ts";
import { BATCH_VERSION, LEGACY_VERSIONS, type JsonObject } from "./protocol.ts";
import { Reply } from "./reply.ts";
import { internalErrorText } from "./rpc-text.ts";
import type { JsonAnswer } from "./send-json.ts";
import type { Session, Sessions } from "./sessions.ts";

const MAX_BATCH = 50;

export type LegacyKind = Extract<Classified, { era: "legacy" }>["kind"];

export interface LegacyDoor {
  post(exchange: Exchange, body: ParsedBody, kind: LegacyKind): Promise<DoorRefusal | null>;
  stream(exchange: Exchange): DoorRefusal | null;
  end(exchange: Exchange): DoorRefusal | null;
}

export const createLegacyDoor = (parts: DoorParts, answerCall: AnswerCall, sessions: Sessions): LegacyDoor => {
  const { deps, silence, heartbeat } = parts;
  const answerInSession = createAnswerInSession(answerCall);

  const replyTo = ({ res, accepts }: Exchange): Reply => new Reply(res, { accepts, heartbeat, silence, onLost: null });

  const find = (exchange: Exchange): Session | DoorRefusal => {
    const { "mcp-session-id": id, "mcp-protocol-version": version } = exchange.req.headers;
    if (typeof version === "string" && !LEGACY_VERSIONS.includes(version)) {
      return unsupportedVersion(version, LEGACY_VERSIONS);
    }
    if (typeof id !== "string") return noSession();
    return sessions.find(id, exchange.principal, exchange.provider) ?? unknownSession();
  };

  /** One request to its text; a bug of ours ends here. */
  const answer = async (exchange: Exchange, session: Session, message: Message, reply: Reply) => {
    try {
      return await answerInSession({ exchange, session, message, reply });
    } catch (error) {
      deps.report(error);
      return { status: 500, text: internalErrorText(message.idText) };
    }
  };

  const postOne = async (exchange: Exchange, session: Session, message: Message): Promise<void> => {
    if (message.idText === null) {
      takeNotice(session, message);
      exchange.res.writeHead(202).end();
      return;
    }
    const reply = replyTo(exchange);
    finish(reply, await answer(exchange, session, message, reply));
  };

  const postBatch = async (exchange: Exchange, session: Session, messages: readonly Message[]): Promise<void> => {
    for (const message of messages) if (message.idText === null) takeNotice(session, message);
    const requests = messages.filter((message) => message.idText !== null);
    if (requests.length === 0) {
      exchange.res.writeHead(202).end();
      return;
    }
    const reply = replyTo(exchange);
    const answers = await Promise.all(requests.map((message) => answer(exchange, session, message, reply)));
    const texts = answers.flatMap((said) => (said === null ? [] : [said.text]));
    finish(reply, texts.length === 0 ? null : { status: 200, text: `[${texts.join(",")}]` });
  };

  const post = async (exchange: Exchange, body: ParsedBody, kind: LegacyKind): Promise<DoorRefusal | null> => {
    if (kind === "initialize") {
      const opened = openSession({ deps, sessions, exchange }, readMessage(body.text, body.value as JsonObject));
      if ("refusal" in opened) return opened;
      replyTo(exchange).finish(opened);
      return null;
    }
    const session = find(exchange);
    if ("refusal" in session) return session;
    if (kind === "response") {
      exchange.res.writeHead(202).end();
    } else if (kind === "batch") {
      const batch = readBatch(body, session);
      if ("refusal" in batch) return batch;
      await postBatch(exchange, session, batch.messages);
    } else {
      await postOne(exchange, session, readMessage(body.text, body.value as JsonObject));
    }
    return null;
  };

  const stream = (exchange: Exchange): DoorRefusal | null => {
    const session = find(exchange);
    if ("refusal" in session) return session;
    session.streams.add(exchange.res, () => deps.identify(exchange.presented, "mcp") !== null);
    return null;
  };

  const end = (exchange: Exchange): DoorRefusal | null => {
    const session = find(exchange);
    if ("refusal" in session) return session;
    sessions.end(session);
    exchange.res.writeHead(204).end();
    return null;
  };

  return { post, stream, end };
};

const finish = (reply: Reply, answer: JsonAnswer | null): void => {
  if (answer === null) reply.finishEmpty();
  else reply.finish(answer);
};

/** The items that are requests or notifications; responses have nothing to answer to. */
const readBatch = ({ text, value }: ParsedBody, session: Session): { readonly messages: Message[] } | DoorRefusal => {
  const items = value as readonly JsonObject[];
  if (session.version !== BATCH_VERSION) {
    return badBatch(`An array of messages belongs to ${BATCH_VERSION}; this session speaks ${session.version}.`);
  }
  if (items.length > MAX_BATCH) return badBatch(`The array has ${items.length} messages; ${MAX_BATCH} are the most.`);
  const spans = itemsOf(text);
  const messages: Message[] = [];
  for (const [index, item] of items.entries()) {
    const span = spans[index];
    if (item["method"] === "initialize") return badBatch("initialize cannot be in an array.");
    if (span && item["method"] !== undefined) messages.push(readMessage(text.slice(span.start, span.end), item));
  }
  return { messages };
};

const badBatch = (message: string): DoorRefusal =>
  doorRefusal("bad_request", { message, next: "Send each message in a request of its own." });

const noSession = (): DoorRefusal =>
  doorRefusal("bad_request", {
    message: "The request names no session.",
    next: "Send initialize first, then its Mcp-Session-Id with every request; or speak 2026-07-28, which has no sessions.",
  });

const unknownSession = (): DoorRefusal =>
  doorRefusal("not_found", {
    message: "This session does not exist: it ended, was idle too long, or the host was restarted.",
    next: "Send initialize again without a session id.",
  });
