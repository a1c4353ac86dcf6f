/**
 * JSON-RPC messages as text, written around members that are already JSON. `id` is the caller's id as it came; null leaves
 * it out.
 */
import type { McpReply } from "../kernel/call.ts";
import type { DoorRefusal } from "./door-refusal.ts";

const head = (id: string | null): string => (id === null ? '{"jsonrpc":"2.0",' : `{"jsonrpc":"2.0","id":${id},`);

export const replyText = (id: string | null, reply: McpReply): string => `${head(id)}"${reply.member}":${reply.json}}`;

export const resultText = (id: string | null, json: string): string => `${head(id)}"result":${json}}`;

const errorText = (id: string | null, code: number, message: string): string =>
  `${head(id)}"error":${JSON.stringify({ code, message })}}`;

export const internalErrorText = (id: string | null): string =>
  errorText(id, -32603, "The host failed at this request; its log says how. Repeating it may not help.");

export const refusalText = (id: string | null, { refusal, code, data }: DoorRefusal): string => {
  const { kind, message, retryable, next, details, row } = refusal;
  const chp = row.chp === "" ? {} : { chp_code: row.chp };
  const told = { kind, ...chp, stage: 1, message, retryable, fixer: row.fixer, next, details };
  const error = { code, message, data: { ...data, ...told, evidence_id: null } };
  return `${head(id)}"error":${JSON.stringify(error)}}`;
};

export const notificationText = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","method":"${method}","params":{${params}}}`;
