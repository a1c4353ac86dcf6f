/** `resources/subscribe` and `resources/unsubscribe` of a legacy session. */
import type { Surfaces } from "../kernel/surface.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Exchange } from "./exchange.ts";
import type { Session } from "./sessions.ts";
import { isLongUri, MAX_URI_BYTES } from "./watched-uri.ts";

const MAX_WATCHED = 1_000;

export const subscribe = (
  surfaces: Surfaces,
  exchange: Exchange,
  session: Session,
  uri: unknown,
): DoorRefusal | null => {
  if (typeof uri !== "string") return bad("params.uri is missing or no string.", "Send the URI of a listed resource.");
  if (isLongUri(uri)) {
    return bad(
      `params.uri is longer than ${MAX_URI_BYTES} bytes, which is the limit.`,
      "Watch a resource with a shorter URI.",
    );
  }
  if (session.watched.has(uri)) return null;
  if (session.watched.size >= MAX_WATCHED) {
    return bad(`This session watches ${MAX_WATCHED} resources, which is the limit.`, "Unsubscribe from some of them.");
  }
  const { principal, provider } = exchange;
  const stop = surfaces.watch({ principal, provider, uri }, () => session.streams.announceUpdate(uri));
  if (stop === null) {
    const shown = JSON.stringify(uri.slice(0, 256));
    return bad(
      `Nobody here tells when ${shown} changes.`,
      "List the resources; read this one again when you need it.",
      {
        uri: uri.slice(0, 2048),
      },
    );
  }
  session.watched.set(uri, stop);
  return null;
};

export const unsubscribe = (session: Session, uri: unknown): void => {
  if (typeof uri !== "string") return;
  session.watched.get(uri)?.();
  session.watched.delete(uri);
  session.streams.forget(uri);
};

const bad = (message: string, next: string, data: Readonly<Record<string, unknown>> = {}): DoorRefusal =>
  doorRefusal("bad_request", { code: -32602, status: 200, message, next, data });
