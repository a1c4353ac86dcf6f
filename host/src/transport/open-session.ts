/** The legacy handshake: answers `initialize` and opens the session that the client then names. */
import { describeLegacy, featuresOf } from "./describe-host.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Exchange } from "./exchange.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import type { Message } from "./message.ts";
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS } from "./protocol.ts";
import { notificationText, resultText } from "./rpc-text.ts";
import type { JsonAnswer } from "./send-json.ts";
import { ownerOf, type Sessions } from "./sessions.ts";

const CHANGING = ["tools", "prompts", "resources"] as const;

export interface SessionOrder {
  readonly deps: ListenerDeps;
  readonly sessions: Sessions;
  readonly exchange: Exchange;
}

export const openSession = ({ deps, sessions, exchange }: SessionOrder, message: Message): JsonAnswer | DoorRefusal => {
  const asked = message.params["protocolVersion"];
  if (typeof asked !== "string") {
    return doorRefusal("bad_request", {
      code: -32602,
      status: 200,
      message: "params.protocolVersion is missing.",
      next: `Send one of: ${LEGACY_VERSIONS.join(", ")}.`,
    });
  }
  const version = LEGACY_VERSIONS.includes(asked) ? asked : LATEST_LEGACY_VERSION;
  const { provider, principal } = exchange;
  const surface = exchange.surface();
  const features = featuresOf(surface, provider);
  const notices = CHANGING.filter((kind) => features[kind]).map((kind) =>
    notificationText(`notifications/${kind}/list_changed`, ""),
  );
  const session = sessions.open({ owner: ownerOf(principal), provider, version, notices });
  return {
    status: 200,
    text: resultText(message.idText, describeLegacy({ info: deps.info, surface, provider }, version)),
    headers: { "Mcp-Session-Id": session.id },
  };
};
