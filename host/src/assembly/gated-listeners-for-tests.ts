/** All who are told when the list of tools is another: sessions, listeners and pipes, at the endpoint of all and of one provider. */
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { modern, openSession } from "../transport/client-for-tests.ts";
import { openStream, type OpenStream } from "../transport/stream-for-tests.ts";
import { switchToStdio } from "../transport/talk-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const LIST_CHANGED = "notifications/tools/list_changed";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
/** Longer than notices are gathered: what there was to say of the start has been said. */
const START_MS = 200;

export interface GatedListener {
  readonly name: string;
  /** How often it was told up to now. */
  readonly told: () => number;
}

const ofStream = (name: string, stream: OpenStream): GatedListener => {
  onTestFinished(() => stream.drop());
  return { name, told: () => stream.events.filter(({ message }) => message?.method === LIST_CHANGED).length };
};

const session = async ({ origin, key }: WholeHost, path: string): Promise<GatedListener> => {
  const { headers, post } = await openSession(origin, "2025-11-25", path, key);
  await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  const stream = openStream(origin, { method: "GET", path, headers: { ...headers, accept: "text/event-stream" } });
  if ((await stream.status) !== 200) throw new Error(`no stream at ${path}`);
  return ofStream(`session at ${path}`, stream);
};

const listener = async ({ origin, key }: WholeHost, path: string, filter: object): Promise<GatedListener> => {
  const auth = { authorization: `Bearer ${key}` };
  const { headers = {}, body } = modern("subscriptions/listen", { notifications: filter }, auth);
  const stream = openStream(origin, { path, headers, body: body as object });
  await stream.until(({ method }) => method === ACKNOWLEDGED);
  return ofStream(`listener at ${path}`, stream);
};

const pipe = async ({ origin, key }: WholeHost): Promise<GatedListener> => {
  const switched = await switchToStdio(origin, key);
  if (!("talk" in switched)) throw new Error(`no pipe: ${switched.status}`);
  const { talk } = switched;
  onTestFinished(() => talk.drop());
  await talk.initialize();
  return { name: "pipe", told: () => talk.heard.filter(({ method }) => method === LIST_CHANGED).length };
};

export interface GatedListeners {
  readonly all: readonly GatedListener[];
  /** One that did not ask for this. */
  readonly other: GatedListener;
  /** Waits until each of them was told again after `change`. */
  heard<T>(change: () => Promise<T> | T): Promise<T>;
}

export const openListeners = async (host: WholeHost): Promise<GatedListeners> => {
  const own = "/mcp/providers/maya";
  const wanted = { toolsListChanged: true };
  const all = [
    await session(host, "/mcp"),
    await session(host, own),
    await listener(host, "/mcp", wanted),
    await listener(host, own, wanted),
    await pipe(host),
  ];
  const other = await listener(host, "/mcp", { promptsListChanged: true });
  await sleep(START_MS);
  return {
    all,
    other,
    async heard(change) {
      const before = all.map(({ told }) => told());
      const done = await change();
      await until(() => all.every(({ told }, at) => told() > (before[at] ?? 0)));
      return done;
    },
  };
};
