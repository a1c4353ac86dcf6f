/**
 * Answers that a caller sends before anybody asked, as far as they can only be a person's or a model's: with an action, with
 * roots, or spoken in a role. What looks like an answer of the host's extensions is nobody's to give but the host's.
 */
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { joinMembers, membersOf, sliceJson } from "../../kernel/scan-json.ts";
import { isObject } from "./read-message.ts";

/** Null: none of them goes on. */
export const unaskedAnswers = (responses: RawJson): RawJson | null => {
  const all = membersOf(responses);
  const kept = all.filter((member) => isCallers(JSON.parse(sliceJson(responses, member))));
  if (kept.length === 0) return null;
  return kept.length === all.length ? responses : rawJson(`{${joinMembers(responses, kept)}}`);
};

const isCallers = (answer: unknown): boolean => {
  if (!isObject(answer) || "contents" in answer || "resources" in answer || "error" in answer) return false;
  return typeof answer["action"] === "string" || Array.isArray(answer["roots"]) || typeof answer["role"] === "string";
};
