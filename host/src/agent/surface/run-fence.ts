/**
 * What a run may call at all, as far as the message says: the request's own list, and the skill that matched. It is asked again
 * for every call, so what is installed in the middle of a run is judged by the same rules. Policy decides on top of it. Pure.
 */
import { matchesGlob } from "../../kernel/glob.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { oneLine } from "../prompt/one-line.ts";

export interface RunFence {
  /** Globs of the request; null: it narrows nothing; empty: the host's `nb__*` alone. */
  readonly request: readonly string[] | null;
  /** The skill that matched and its globs, to be read likewise; null: none did. */
  readonly skill: { readonly name: string; readonly allowedTools: readonly string[] | null } | null;
  /** The provider of the app that the person has in front of them: its tools stay whatever the skill says. */
  readonly focused: string | null;
}

const ALWAYS = "nb__";

export const isSystemTool = (name: string): boolean => name.startsWith(ALWAYS);

export const isOfProvider = (name: string, provider: string | null): boolean =>
  provider !== null && name.startsWith(`${provider}__`);

/** Null: inside. */
const outsideOf = (name: string, fence: RunFence): "outside_skill" | "outside_request" | null => {
  const { request, skill, focused } = fence;
  if (isSystemTool(name)) return null;
  const globs = skill?.allowedTools ?? null;
  if (globs !== null && !isOfProvider(name, focused) && !fits(globs, name)) return "outside_skill";
  return request !== null && !fits(request, name) ? "outside_request" : null;
};

/** Null: it may be called, as far as the message says. */
export const refuseOutside = (name: string, fence: RunFence): Refusal | null => {
  const kind = outsideOf(name, fence);
  if (kind === null) return null;
  const tool = oneLine(name);
  if (kind === "outside_request") {
    return new Refusal(kind, {
      message: `${tool} is not among the tools that this request allows.`,
      next: "Answer without it, or ask the person to send a request whose allowedTools includes it.",
      details: { tool },
    });
  }
  const skill = oneLine(fence.skill?.name ?? "");
  return new Refusal(kind, {
    message: `${tool} is not among the tools that the skill ${skill} allows for this message.`,
    next: `Answer without it, or ask the person for a message that does not use the skill ${skill}.`,
    details: { tool, skill },
  });
};

const fits = (globs: readonly string[], name: string): boolean => {
  for (const glob of globs) if (matchesGlob(glob, name)) return true;
  return false;
};
