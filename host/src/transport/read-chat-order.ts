/** The body of a chat message. Only shapes are checked; nothing in it says who sends it, and a field that is not known is refused. */
import { nearest } from "@bailiwick/contract";
import type { ChatOrder } from "../kernel/agent.ts";
import { Refusal } from "../kernel/refusal.ts";
import { isObject, type JsonObject } from "./protocol.ts";
import type { RestBody } from "./read-rest-body.ts";

const FIELDS = [
  "message",
  "conversationId",
  "model",
  "maxIterations",
  "allowedTools",
  "skill",
  "appContext",
  "fileRefs",
  "metadata",
] as const;
const MAX_NAME = 256;
const MAX_GLOBS = 256;
const MAX_FILES = 32;
const MAX_METADATA = 16_384;
const FILE = /^files:\/\/[\w.~%/-]{1,200}$/;
const MAX_TYPOS = 3;

const bad = (message: string, next: string): Refusal => new Refusal("bad_request", { message, next });

export const readChatOrder = ({ value }: RestBody): ChatOrder => {
  refuseUnknown(value, FIELDS);
  return {
    message: readMessage(value["message"]),
    conversationId: readName(value, "conversationId", "the id of a conversation, or leave it out to begin one"),
    model: readName(value, "model", '"<provider>:<model>", or leave it out'),
    maxIterations: readCount(value["maxIterations"]),
    allowedTools: readGlobs(value["allowedTools"]),
    skill: readSkill(value),
    app: readApp(value["appContext"]),
    fileRefs: readFiles(value["fileRefs"]),
    metadata: readMetadata(value["metadata"]),
  };
};

export const readMatchOrder = ({ value }: RestBody): Pick<ChatOrder, "message" | "skill"> => {
  refuseUnknown(value, ["message", "skill"]);
  return { message: readMessage(value["message"]), skill: readSkill(value) };
};

const refuseUnknown = (value: JsonObject, known: readonly string[], where = "this"): void => {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const meant = nearest(unknown, known, MAX_TYPOS);
  const guess = meant === null ? "" : `Did you mean "${meant}"? `;
  throw bad(`${JSON.stringify(unknown.slice(0, 100))} is no field of ${where}.`, `${guess}Use: ${known.join(", ")}.`);
};

/** Absent or null: it was not said. */
const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

const isText = (value: unknown, most: number): value is string =>
  typeof value === "string" && value.length >= 1 && value.length <= most;

const isTexts = (value: unknown, most: number): value is readonly string[] =>
  Array.isArray(value) && value.length <= most && value.every((item) => typeof item === "string");

const readMessage = (message: unknown): string => {
  if (message === undefined) throw bad('"message" is missing.', 'Send {"message": "<text>"}.');
  if (typeof message !== "string") throw bad('"message" is not a text.', 'Send {"message": "<text>"}.');
  if (message.trim() === "") throw bad('"message" is empty.', "Send what you want to say.");
  return message;
};

const readName = (value: JsonObject, field: "conversationId" | "model", wanted: string): string | null => {
  const name = value[field];
  if (isAbsent(name)) return null;
  if (isText(name, MAX_NAME)) return name;
  throw bad(`"${field}" is not a text of 1 to ${MAX_NAME} characters.`, `Send ${wanted}.`);
};

const readCount = (count: unknown): number | null => {
  if (isAbsent(count)) return null;
  if (Number.isSafeInteger(count) && (count as number) >= 1) return count as number;
  throw bad('"maxIterations" is not a whole number from 1 on.', "Send one, or leave it out.");
};

/** Null is refused: a restriction that lost its members must not open. */
const readGlobs = (globs: unknown): readonly string[] | null => {
  if (globs === undefined) return null;
  if (isTexts(globs, MAX_GLOBS) && globs.every((glob) => glob.length <= MAX_NAME)) return globs;
  throw bad(
    `"allowedTools" is not a list of at most ${MAX_GLOBS} names, each of at most ${MAX_NAME} characters.`,
    'Send some, as ["files__*"], or leave it out to narrow nothing.',
  );
};

const readSkill = ({ skill }: JsonObject): string | false | null => {
  if (isAbsent(skill)) return null;
  if (skill === false || isText(skill, MAX_NAME)) return skill;
  throw bad(
    '"skill" is neither the name of a skill nor false.',
    "Send a name of GET /v1/skills, false for none, or leave it out.",
  );
};

const readApp = (app: unknown): ChatOrder["app"] => {
  if (isAbsent(app)) return null;
  const next = 'Send {"appName": "<name>", "serverName": "<name>"}, or leave it out.';
  if (!isObject(app)) throw bad('"appContext" is not an object.', next);
  refuseUnknown(app, ["appName", "serverName"], '"appContext"');
  const { appName, serverName } = app;
  for (const [field, name] of Object.entries({ appName, serverName })) {
    if (!isText(name, MAX_NAME)) {
      throw bad(`"${field}" of "appContext" is not a text of 1 to ${MAX_NAME} characters.`, next);
    }
  }
  return { appName: appName as string, serverName: serverName as string };
};

const readFiles = (refs: unknown): readonly string[] => {
  if (isAbsent(refs)) return [];
  if (isTexts(refs, MAX_FILES) && refs.every((ref) => FILE.test(ref))) return refs;
  throw bad(
    `"fileRefs" is not a list of at most ${MAX_FILES} addresses of files.`,
    'Send "uri" of what GET /v1/files lists, as ["files://fl_<id>"], or leave it out.',
  );
};

const readMetadata = (metadata: unknown): JsonObject | null => {
  if (isAbsent(metadata)) return null;
  if (isObject(metadata) && JSON.stringify(metadata).length <= MAX_METADATA) return metadata;
  throw bad(
    `"metadata" is not an object of at most ${MAX_METADATA} characters of JSON.`,
    "Send a smaller one, or leave it out.",
  );
};
