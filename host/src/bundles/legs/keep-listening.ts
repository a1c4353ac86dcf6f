/**
 * Change notices of a modern server: one `subscriptions/listen` that stays open and is opened again when it ends.
 * Notices may have been missed in between, so every new one counts as a change. Legacy servers need no asking.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionEvents } from "../connection.ts";
import type { Correlator } from "./correlator.ts";
import type { Opening } from "./handshake.ts";
import { isObject } from "./read-message.ts";

export interface ListeningOptions {
  readonly correlator: Correlator;
  readonly opening: Opening;
  readonly events: ConnectionEvents;
}

const FIRST_DELAY_MS = 1_000;
const LAST_DELAY_MS = 30_000;

export const keepListening = async ({ correlator, opening, events }: ListeningOptions): Promise<void> => {
  const wanted = wantedNotices(opening);
  if (wanted === null) return;
  let wait = FIRST_DELAY_MS;
  for (;;) {
    const opened = performance.now();
    const reply = await listen(correlator, wanted).catch(() => null);
    if (reply?.kind === "error") return;
    wait = performance.now() - opened > LAST_DELAY_MS ? FIRST_DELAY_MS : Math.min(wait * 2, LAST_DELAY_MS);
    await delay(wait, null, { ref: false });
    if (correlator.over()) return;
    events.listChanged();
  }
};

const wantedNotices = ({ era, capabilities }: Opening): string | null => {
  if (era === "legacy" || capabilities === null) return null;
  const wanted = ["tools", "prompts", "resources"].filter((kind) => {
    const offered = capabilities[kind];
    return isObject(offered) && offered["listChanged"] === true;
  });
  if (wanted.length === 0) return null;
  return `"notifications":{${wanted.map((kind) => `"${kind}ListChanged":true`).join(",")}}`;
};

const listen = (correlator: Correlator, params: string) =>
  correlator.ask({
    method: "subscriptions/listen",
    params,
    meta: "",
    name: null,
    signal: null,
    listener: null,
    control: true,
    timeoutMs: Number.POSITIVE_INFINITY,
  });
