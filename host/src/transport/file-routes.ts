/**
 * The routes of the workspace's files. Each is a call of `files__*`, or a read of `files://`, as from any other door; the
 * bytes of uploads and downloads come and go as they are, not as JSON.
 */
import type { Answer } from "../kernel/call.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { memberOf, sliceJson } from "../kernel/scan-json.ts";
import type { CallFromRest } from "./call-from-rest.ts";
import { callerLeft } from "./caller-left.ts";
import { createDownload } from "./download-file.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { Places } from "./places.ts";
import { plainParams } from "./plain-params.ts";
import { restAnswer } from "./rest-answer.ts";
import type { RestAsk, RestRoute } from "./rest-route.ts";
import type { JsonAnswer } from "./send-json.ts";
import { ownerOf } from "./sessions.ts";
import { createUpload } from "./upload-files.ts";

type Run = RestRoute["run"];

/** Whole files that are here for one principal, on their way in or out. */
const AT_ONCE = 4;

export const createFileRoutes = (deps: ListenerDeps, callPath: CallFromRest): [string, RestRoute][] => {
  const places = new Places(AT_ONCE);
  const calls = new Places(1);
  const call = async (ask: RestAsk, tool: string, args: Readonly<Record<string, unknown>>): Promise<JsonAnswer> => {
    const params = plainParams(tool, args, rawJson(JSON.stringify(args)));
    return shapeStructured(deps, await callPath(ask, { operation: "call", provider: null, params }));
  };
  const list: Run = (ask) => call(ask, ask.query.has("q") ? "files__search" : "files__list", readQuery(ask.query));
  const remove: Run = (ask) => call(ask, "files__delete", { id: ask.argument });
  const enter = async (ask: RestAsk, among: Places): Promise<() => void> => {
    const leave = await among.take(ownerOf(ask.caller.principal));
    if (!ask.res.closed) return leave;
    leave();
    throw callerLeft();
  };
  /** On the call path a file is there several times over, so those of one principal pass one by one. */
  const pass: CallFromRest = async (ask, order) => {
    const leave = await enter(ask, calls);
    try {
      return await callPath(ask, order);
    } finally {
      leave();
    }
  };
  /** Until the answer is out, since whoever reads slowly keeps the bytes here. */
  const held =
    (run: Run): Run =>
    async (ask) => {
      ask.res.once("close", await enter(ask, places));
      return run(ask);
    };
  return [
    ["GET /v1/files", { run: list }],
    ["POST /v1/files", { run: held(createUpload(deps, pass)) }],
    ["GET /v1/files/*", { run: held(createDownload(deps, pass)) }],
    ["DELETE /v1/files/*", { run: remove }],
  ];
};

/** Whether they are good is for the tool's schema to say. */
const readQuery = (query: URLSearchParams): Readonly<Record<string, unknown>> => {
  const args: Record<string, unknown> = {};
  for (const [key, text] of query) {
    if (key === "tags") args["tags"] = query.getAll("tags");
    else if (key === "q") args["query"] = text;
    else args[key] = (key === "limit" || key === "offset") && /^\d{1,9}$/.test(text) ? Number(text) : text;
  }
  return args;
};

/** What the tool says to programs; a refusal or an error as from every other call. */
const shapeStructured = (deps: ListenerDeps, answer: Answer): JsonAnswer => {
  const { ending } = answer;
  const span = ending.kind === "result" && !ending.isError ? memberOf(ending.json, "structuredContent") : null;
  if (ending.kind === "result" && span !== null) return { status: 200, text: sliceJson(ending.json, span) };
  return restAnswer(deps, answer);
};
