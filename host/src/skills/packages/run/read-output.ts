/** From what a script wrote and how it ended to the result of the call. Pure. */
import { addMeta } from "../../../kernel/add-meta.ts";
import { rawJson, rawMembers, type RawJson } from "../../../kernel/raw-json.ts";
import { insertMembers, joinMembers, membersOf } from "../../../kernel/scan-json.ts";
import type { ScriptEnd } from "../../../kernel/script.ts";
import type { PackageTool } from "../skill-package.ts";

type Json = Readonly<Record<string, unknown>>;

export interface ReadOutput {
  readonly json: RawJson;
  /** The same parsed. */
  readonly value: Json;
  readonly isError: boolean;
}

export const readOutput = (end: ScriptEnd, tool: Pick<PackageTool, "nextTools">): ReadOutput =>
  withNextTools(failureOf(end) ?? readText(end), tool);

const failureOf = (end: ScriptEnd): ReadOutput | null => {
  if (end.how === "too_large") return badOutput(end, "The script wrote more than 10,000,000 bytes");
  if (end.code === 0) return null;
  const { code, signal, lastLine } = end;
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  const said = lastLine === null ? "." : `: ${lastLine}`;
  return toolError(`The script ended ${how}${said}`, { error: "exit_code", code, signal, last_line: lastLine });
};

const readText = (end: ScriptEnd): ReadOutput => {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(end.stdout).trim();
    value = JSON.parse(text) as unknown;
  } catch {
    const what = end.stdout.length === 0 ? "The script wrote nothing" : "What the script wrote is not JSON";
    return badOutput(end, what);
  }
  if (!isObject(value)) return plain(rawJson(`{"result":${text}}`), { result: value }, scalarText(value, text));
  if (looksLikeResult(value)) return mcpResult(end, text, value);
  return plain(rawJson(text), value, text);
};

const scalarText = (value: unknown, text: string): string => (typeof value === "string" ? value : text);

/** `success: false` is how a script says that it failed. */
const plain = (structured: RawJson, value: Json, text: string): ReadOutput => {
  const isError = value["success"] === false;
  const content = [{ type: "text", text }];
  const error = isError ? ',"isError":true' : "";
  return {
    json: rawJson(`{"content":${JSON.stringify(content)},"structuredContent":${structured}${error}}`),
    value: { content, structuredContent: value, ...(isError ? { isError } : {}) },
    isError,
  };
};

/** A file's text under `content` makes no result: that is a list of typed blocks. Nor does a failure that says nothing there. */
const looksLikeResult = ({ content, structuredContent, success }: Json): boolean =>
  isObject(structuredContent) || (isBlocks(content) && !(success === false && content.length === 0));

const isBlocks = (value: unknown): value is readonly Json[] =>
  Array.isArray(value) && value.every((block) => isObject(block) && typeof block["type"] === "string");

/** Its own members; a `null` is how some languages write that there is none. */
const OPTIONAL: Readonly<Record<string, (value: unknown) => boolean>> = {
  content: isBlocks,
  structuredContent: (value) => isObject(value),
  isError: (value) => typeof value === "boolean",
  _meta: (value) => isObject(value),
  resultType: (value) => value === "complete",
};

const mcpResult = (end: ScriptEnd, text: string, said: Json): ReadOutput => {
  const value: Record<string, unknown> = { ...said };
  for (const [key, isValid] of Object.entries(OPTIONAL)) {
    if (value[key] === null) delete value[key];
    else if (value[key] !== undefined && !isValid(value[key])) {
      return badOutput(end, `What the script wrote is no MCP result: its "${key}" is not what the protocol describes`);
    }
  }
  // Of a member that stands twice the last counts, and only that is passed on: another reader might take the first.
  const members = [...new Map(membersOf(text).map((member) => [member.key, member])).values()];
  const kept = members.filter(({ key }) => Object.hasOwn(value, key));
  let json = rawJson(`{${joinMembers(text, kept)}}`);
  if (value["isError"] === undefined && value["success"] === false) {
    value["isError"] = true;
    json = insertMembers(json, rawMembers('"isError":true'));
  }
  if (value["content"] === undefined) {
    const own = members.find(({ key }) => key === "structuredContent");
    const content = [{ type: "text", text: own === undefined ? "" : text.slice(own.start, own.end) }];
    value["content"] = content;
    json = insertMembers(json, rawMembers(`"content":${JSON.stringify(content)}`));
  }
  return { json, value, isError: value["isError"] === true };
};

const badOutput = (end: ScriptEnd, what: string): ReadOutput => {
  const output = end.opening;
  const shown = output === "" ? "." : `. It begins with: ${output}`;
  return toolError(`bad_output: ${what}${shown}`, { error: "bad_output", message: `${what}.`, output });
};

const toolError = (text: string, structuredContent: Json): ReadOutput => {
  const value = { content: [{ type: "text", text }], structuredContent, isError: true };
  return { json: rawJson(JSON.stringify(value)), value, isError: true };
};

/** What the package proposes to call next after this outcome. */
const withNextTools = (output: ReadOutput, { nextTools }: Pick<PackageTool, "nextTools">): ReadOutput => {
  const next = output.isError ? nextTools?.onFailure : nextTools?.onSuccess;
  if (next === undefined || next.length === 0) return output;
  const proposed = { next_tools: { [output.isError ? "on_failure" : "on_success"]: next } };
  const meta = isObject(output.value["_meta"]) ? output.value["_meta"] : {};
  const dcc = { ...(isObject(meta["dcc"]) ? meta["dcc"] : {}), ...proposed };
  const value = { ...output.value, _meta: { ...meta, dcc } };
  const bare = membersOf(output.json).some(({ key }) => key === "_meta") ? withoutDcc(output.json) : output.json;
  return { ...output, value, json: addMeta(bare, rawMembers(`"dcc":${JSON.stringify(dcc)}`)) };
};

const withoutDcc = (json: RawJson): RawJson => {
  const members = membersOf(json);
  const kept = members.map((member) => {
    if (member.key !== "_meta") return json.slice(member.keyStart, member.end);
    const inner = json.slice(member.start, member.end);
    const others = membersOf(inner).filter(({ key }) => key !== "dcc");
    return `"_meta":{${joinMembers(inner, others)}}`;
  });
  return rawJson(`{${kept.join(",")}}`);
};

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
