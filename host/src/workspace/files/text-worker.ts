/**
 * The thread that searches, and takes in text to be searched, for all workspaces. A search comes before what is still to be
 * taken in, but for a moment in which new files become findable.
 */
import { parentPort } from "node:worker_threads";
import { HostError } from "../../kernel/host-error.ts";
import { TextIndex } from "./text-index.ts";
import type { TextReply, TextRequest, TextSearch, ToTextThread } from "./text-messages.ts";

/** How long a search waits for what is not taken in yet. */
const CATCH_UP_MS = 1_000;
const MAX_OPEN = 16;

if (parentPort === null) throw new HostError("text-worker runs as a worker thread only");
const port = parentPort;
/** The one used last stands last. */
const open = new Map<string, TextIndex>();
/** Who waits for what in a folder to be taken in. */
const behind = new Map<string, number[]>();
let scheduled = false;

const say = (reply: TextReply): void => port.postMessage(reply);
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const leave = (folder: string): void => {
  open.get(folder)?.close();
  open.delete(folder);
};

const indexOf = (folder: string): TextIndex => {
  const index = open.get(folder) ?? new TextIndex(folder);
  open.delete(folder);
  open.set(folder, index);
  for (const oldest of open.keys()) {
    if (open.size <= MAX_OPEN) break;
    leave(oldest);
  }
  return index;
};

/** A disk that takes nothing more does not keep anybody from searching what is there. */
const catchUp = (index: TextIndex, until: number): void => {
  try {
    while (Date.now() < until && index.advance(until));
  } catch {
    // The next one that follows is told of it.
  }
};

/** A piece of one folder at a time, so that whatever is asked meanwhile is heard. */
const work = (): void => {
  scheduled = false;
  const [first] = behind;
  if (first === undefined) return;
  const [folder, waiting] = first;
  behind.delete(folder);
  try {
    if (indexOf(folder).advance(Number.MAX_SAFE_INTEGER)) behind.set(folder, waiting);
    else for (const number of waiting) say({ number, kind: "done" });
  } catch (error) {
    leave(folder);
    for (const number of waiting) say({ number, kind: "failed", reason: reasonOf(error) });
  }
  schedule();
};

const schedule = (): void => {
  if (scheduled || behind.size === 0) return;
  scheduled = true;
  setImmediate(work);
};

const follow = (number: number, folder: string, gone: number | null): void => {
  if (gone !== null) indexOf(folder).forget(gone);
  const waiting = behind.get(folder);
  if (waiting) waiting.push(number);
  else behind.set(folder, [number]);
  schedule();
};

const search = (number: number, order: TextSearch): TextReply => {
  if (Date.now() >= order.until) return { number, kind: "late" };
  const index = indexOf(order.folder);
  catchUp(index, Math.min(order.until, Date.now() + CATCH_UP_MS));
  const hits = index.search(order);
  return hits === null ? { number, kind: "late" } : { number, kind: "found", hits };
};

const close = (number: number, folder: string): TextReply => {
  for (const waiting of behind.get(folder) ?? []) say({ number: waiting, kind: "done" });
  behind.delete(folder);
  leave(folder);
  return { number, kind: "done" };
};

const end = (): void => {
  for (const folder of open.keys()) leave(folder);
  behind.clear();
  port.close();
};

const hear = (number: number, message: ToTextThread): void => {
  if (message.ask === "follow") follow(number, message.folder, message.gone);
  else if (message.ask === "search") say(search(number, message));
  else if (message.ask === "leave") say(close(number, message.folder));
  else end();
};

port.on("message", ({ number, message }: TextRequest) => {
  try {
    hear(number, message);
  } catch (error) {
    if ("folder" in message) leave(message.folder);
    say({ number, kind: "failed", reason: reasonOf(error) });
  }
});
