/** The answers that a modern caller brings, each with its text, and whether one has the shape that its question needs. */
import type { AskMethod } from "../kernel/ask.ts";
import type { RawJson } from "../kernel/raw-json.ts";
import { membersOf, sliceJson } from "../kernel/scan-json.ts";
import { isObject } from "./protocol.ts";

export type InputResponses = ReadonlyMap<string, RawJson>;

const ACTIONS = new Set<unknown>(["accept", "decline", "cancel"]);

/** `json` is an object. */
export const readInputResponses = (json: RawJson | null): InputResponses =>
  new Map(json === null ? [] : membersOf(json).map((member) => [member.key, sliceJson(json, member)]));

export const fitsQuestion = (method: AskMethod, json: RawJson): boolean => {
  const value = JSON.parse(json) as unknown;
  return isObject(value) && (method !== "elicitation/create" || ACTIONS.has(value["action"]));
};
