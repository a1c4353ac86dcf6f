/** The legacy handshake: answers `initialize` and opens the session that the client then names. */
import { NOTHING_DECLARED, type Declared } from "../kernel/ask.ts";
import { memberOf, sliceJson } from "../kernel/scan-json.ts";
import { describeLegacy, featuresOf } from "./describe-host.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Exchange } from "./exchange.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import type { Message } from "./message.ts";
import { ownText } from "./own-text.ts";
import { isObject, LATEST_LEGACY_VERSION, LEGACY_VERSIONS } from "./protocol.ts";
import { notificationText, resultText } from "./rpc-text.ts";
import type { JsonAnswer } from "./send-json.ts";
import type { Session, Sessions } from "./sessions.ts";

/** A session lasts, and so does what it keeps. */
const MAX_CAPABILITIES_BYTES = 65_536;
const CHANGING = ["tools", "prompts", "resources"] as const;

export interface SessionOrder {
  readonly deps: ListenerDeps;
  readonly sessions: Sessions;
  readonly exchange: Exchange;
}

export interface OpenedSession {
  readonly session: Session;
  readonly answer: JsonAnswer;
}

export const openSession = (
  { deps, sessions, exchange }: SessionOrder,
  message: Message,
): OpenedSession | DoorRefusal => {
  const asked = message.params["protocolVersion"];
  if (typeof asked !== "string") {
    return doorRefusal("bad_request", {
      code: -32602,
      status: 200,
      message: "params.protocolVersion is missing.",
      next: `Send one of: ${LEGACY_VERSIONS.join(", ")}.`,
    });
  }
  const declared = declaredBy(message);
  if (Buffer.byteLength(declared.json) > MAX_CAPABILITIES_BYTES) return tooMuchDeclared();
  const version = LEGACY_VERSIONS.includes(asked) ? asked : LATEST_LEGACY_VERSION;
  const { provider, principal } = exchange;
  const surface = exchange.surface();
  const features = featuresOf(surface, provider);
  const notices = CHANGING.filter((kind) => features[kind]).map((kind) =>
    notificationText(`notifications/${kind}/list_changed`, ""),
  );
  const via = exchange.headers === null ? "stdio" : "http";
  const session = sessions.open({ principal, provider, version, declared, via, notices });
  const text = resultText(message.idText, describeLegacy({ info: deps.info, surface, provider }, version));
  return { session, answer: { status: 200, text, headers: { "Mcp-Session-Id": session.id } } };
};

const tooMuchDeclared = (): DoorRefusal =>
  doorRefusal("bad_request", {
    code: -32602,
    status: 200,
    message: `params.capabilities is larger than ${MAX_CAPABILITIES_BYTES} bytes, which is the limit.`,
    next: "Declare only what the client can do.",
    data: { limit: MAX_CAPABILITIES_BYTES },
  });

const declaredBy = ({ params, text, paramsAt }: Message): Declared => {
  const { capabilities } = params;
  const member = isObject(capabilities) ? memberOf(text, "capabilities", paramsAt) : null;
  if (!isObject(capabilities) || !member || Object.keys(capabilities).length === 0) return NOTHING_DECLARED;
  return { json: ownText(sliceJson(text, member)), value: capabilities };
};
