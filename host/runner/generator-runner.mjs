/**
 * Runs one plug-in generator in a process of its own: `generator-runner.mjs <file> <sha256>`. The host is spoken to over
 * descriptor 4, one JSON value a line, so that whatever the plug-in prints reaches nobody as an answer.
 *
 * In: {id, config, pattern, context, maxBytes} and {abort: id}.
 * Out: {loaded, generates}, {failed} or {untyped: version} at first; of a request {begun: id}, then one of {id, text}, {id, error}, {id, wrong},
 * {id, size}; {heard: id} of an abort; {spoilt: true} when another process should take what comes next.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import { pathToFileURL } from "node:url";

const MEMBERS = [
  "type",
  "version",
  "description",
  "status",
  "capabilities",
  "indicators",
  "requirements",
  "best_for",
  "upstream_dependencies",
];
const MAX_MESSAGE = 2000;

const [file, digest] = process.argv.slice(2);
const channel = new Socket({ fd: 4 });
const leave = process.exit.bind(process);
/** Which request a piece of code runs for. */
const owner = new AsyncLocalStorage();
/** By request; one that is not in here was answered. */
const stops = new Map();
let generator = null;

const send = (message) => channel.write(`${JSON.stringify(message)}\n`);

const tell = (error) => {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, MAX_MESSAGE);
  } catch {
    return "it threw something that cannot be shown";
  }
};

const answer = (id, message) => {
  if (stops.delete(id)) send({ id, ...message });
};

const nameOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

const judge = (text, maxBytes) => {
  if (typeof text !== "string") return { wrong: nameOf(text) };
  const size = Buffer.byteLength(text);
  return size > maxBytes ? { size } : { text };
};

const serve = async ({ id, config, pattern, context, maxBytes }) => {
  const stop = new AbortController();
  stops.set(id, stop);
  send({ begun: id });
  try {
    const { signal } = stop;
    const text = await owner.run(id, () => generator.generate({ config, pattern, context, signal }));
    answer(id, judge(text, maxBytes));
  } catch (error) {
    answer(id, { error: tell(error) });
  }
};

const hear = (message) => {
  if (message.abort === undefined) return serve(message);
  send({ heard: message.abort });
  // Its listeners are the plug-in's.
  return owner.run(message.abort, () => stops.get(message.abort)?.abort());
};

/** One request's mistake is not the others', but what it left behind nobody knows: the host starts another process. */
process.on("uncaughtException", (error) => {
  const id = owner.getStore();
  if (id === undefined) {
    send({ failed: tell(error) });
    channel.end(() => leave(1));
    return;
  }
  answer(id, { error: tell(error) });
  send({ spoilt: true });
});

process.exit = () => {
  throw new Error("a generator must not end its process");
};

const listen = () => {
  let pieces = [];
  channel.on("data", (chunk) => {
    let start = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...pieces, chunk.subarray(start, at)]);
      pieces = [];
      start = at + 1;
      void hear(JSON.parse(line.toString()));
    }
    pieces.push(chunk.subarray(start));
  });
};

/** Nobody is there any more. */
channel.on("error", () => leave(0));
channel.on("close", () => leave(0));

const load = async () => {
  if (hash("sha256", readFileSync(file)) !== digest) throw new Error("it changed while it was loaded");
  if (file.endsWith(".ts") && !process.features.typescript) return send({ untyped: process.version });
  const module = await import(pathToFileURL(file).href);
  generator = module.default;
  const isObject = typeof generator === "object" && generator !== null;
  const members = isObject ? Object.fromEntries(MEMBERS.map((name) => [name, generator[name]])) : null;
  return send({ loaded: members, generates: isObject && typeof generator.generate === "function" });
};

listen();
load().catch((error) => send({ failed: tell(error) }));
