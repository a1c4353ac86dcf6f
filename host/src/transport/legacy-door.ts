/**
 * Requests of the legacy era: the handshake, a session's messages, its stream, its end. A client that only loses its
 * connection does not cancel; `notifications/cancelled` does.
 */
import type { ServerResponse } from "node:http";
import { unsupportedVersion, type Classified } from "./classify-request.ts";
import type { DoorParts } from "./door-parts.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import { EVENT_STREAM_HEADERS, eventFrame } from "./event-frame.ts";
import type { HttpExchange } from "./exchange.ts";
import { takeUnanswered, type LegacyAnswers } from "./legacy-answers.ts";
import { takeNotice } from "./legacy-methods.ts";
import { readMessage, type Message } from "./message.ts";
import { openEventStream } from "./open-event-stream.ts";
import { openSession } from "./open-session.ts";
import type { ParsedBody } from "./parse-body.ts";
import { LEGACY_VERSIONS, type JsonObject } from "./protocol.ts";
import { readBatch, type Batch } from "./read-batch.ts";
import type { ReplayRing } from "./replay-ring.ts";
import { Reply } from "./reply.ts";
import { NOTICES_STREAM } from "./session-streams.ts";
import type { JsonAnswer } from "./send-json.ts";
import type { Session, Sessions } from "./sessions.ts";

export type LegacyKind = Extract<Classified, { era: "legacy" }>["kind"];

export interface LegacyDoor {
  /** Null: it is answered, or will be. */
  post(exchange: HttpExchange, body: ParsedBody, kind: LegacyKind): DoorRefusal | null;
  stream(exchange: HttpExchange): DoorRefusal | null;
  end(exchange: HttpExchange): DoorRefusal | null;
}

export const createLegacyDoor = (parts: DoorParts, answers: LegacyAnswers, sessions: Sessions): LegacyDoor => {
  const { deps, silence, heartbeat } = parts;

  const replyTo = ({ res, accepts }: HttpExchange, session: Session | null): Reply =>
    new Reply(res, { accepts, heartbeat, silence, session, onLost: null });

  const find = (exchange: HttpExchange): Session | DoorRefusal => {
    const { "mcp-session-id": id, "mcp-protocol-version": version } = exchange.headers;
    if (typeof version === "string" && !LEGACY_VERSIONS.includes(version)) {
      return unsupportedVersion(version, LEGACY_VERSIONS);
    }
    if (typeof id !== "string") return noSession();
    return sessions.find(id, exchange.principal, exchange.provider) ?? unknownSession();
  };

  const postOne = (exchange: HttpExchange, session: Session, message: Message): void => {
    if (message.idText === null) {
      takeNotice(session, message);
      exchange.res.writeHead(202).end();
      return;
    }
    const reply = replyTo(exchange, session);
    void answers.one({ exchange, session, message, reply, call: new AbortController() }, finish);
  };

  const postBatch = (exchange: HttpExchange, session: Session, batch: Batch): void => {
    const requests = takeUnanswered(session, batch, exchange.presented);
    if (requests.length === 0) exchange.res.writeHead(202).end();
    else answers.batch({ exchange, session, reply: replyTo(exchange, session) }, requests, finish);
  };

  const post = (exchange: HttpExchange, body: ParsedBody, kind: LegacyKind): DoorRefusal | null => {
    if (kind === "initialize") {
      const opened = openSession({ deps, sessions, exchange }, readMessage(body.text, body.value as JsonObject));
      if ("refusal" in opened) return opened;
      replyTo(exchange, null).finish(opened.answer);
      return null;
    }
    const session = find(exchange);
    if ("refusal" in session) return session;
    if (kind === "response") {
      session.asks.take({ text: body.text, value: body.value as JsonObject }, exchange.presented);
      exchange.res.writeHead(202).end();
    } else if (kind === "batch") {
      const batch = readBatch(body, session);
      if ("refusal" in batch) return batch;
      postBatch(exchange, session, batch);
    } else {
      postOne(exchange, session, readMessage(body.text, body.value as JsonObject));
    }
    return null;
  };

  const stream = (exchange: HttpExchange): DoorRefusal | null => {
    const session = find(exchange);
    if ("refusal" in session) return session;
    const { headers, res, presented } = exchange;
    const last = headers["last-event-id"];
    const seen = typeof last === "string" ? session.ring.after(last) : null;
    if (seen !== null && seen.stream !== NOTICES_STREAM) {
      resumeReply(session, seen, res);
      return null;
    }
    const mayHear = (): boolean => deps.identify(presented, "mcp") !== null;
    session.streams.add({ stream: openEventStream(res, heartbeat), mayHear, missed: seen?.events ?? [] });
    return null;
  };

  const end = (exchange: HttpExchange): DoorRefusal | null => {
    const session = find(exchange);
    if ("refusal" in session) return session;
    sessions.end(session);
    exchange.res.writeHead(204).end();
    return null;
  };

  return { post, stream, end };
};

/** The rest of a stream whose connection was lost: what was missed, and what is still to come. */
const resumeReply = (
  session: Session,
  seen: NonNullable<ReturnType<ReplayRing["after"]>>,
  res: ServerResponse,
): void => {
  const reply = session.replies.get(seen.stream);
  if (reply) {
    reply.resume(res, seen.events);
    return;
  }
  res.writeHead(200, EVENT_STREAM_HEADERS);
  res.end(seen.events.map(({ id, text }) => eventFrame(text, id)).join(""));
};

const finish = (answer: JsonAnswer | null, reply: Reply): void => {
  if (answer === null) reply.finishEmpty();
  else reply.finish(answer);
};

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
