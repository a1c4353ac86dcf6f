/** Every "no" of a script tool that is not the script's own, with what a person or program does next. */
import { Refusal } from "../../../kernel/refusal.ts";
import type { PackageTool } from "../skill-package.ts";

const RETRY_MS = 1_000;

export const cancelledBeforeStart = (): Refusal =>
  new Refusal("cancelled", {
    message: "The call was cancelled before its script was started.",
    next: "Nothing happened; call again if it is still wanted.",
    details: { effect: "none" },
  });

export const queueFull = (waiting: number): Refusal =>
  new Refusal("not_ready", {
    message: `${waiting} calls of this skill package are waiting already; nothing was started.`,
    next: `Try again in ${RETRY_MS} ms.`,
    details: { error: "queue_full" },
    retryAfterMs: RETRY_MS,
  });

export const waitedTooLong = (limitMs: number): Refusal =>
  new Refusal("not_ready", {
    message: `The call waited ${limitMs / 1_000} s for its turn, which is all it may take; nothing was started.`,
    next: "Other calls of this skill package run before it. Try again when some have ended.",
    details: { error: "waited_too_long", effect: "none", timeout_ms: limitMs },
    retryAfterMs: RETRY_MS,
  });

export const closing = (provider: string): Refusal =>
  new Refusal("not_ready", {
    message: `The skill package ${provider} is being closed; nothing was started.`,
    next: "List the tools again; call it once it is there.",
    details: { error: "closing" },
  });

export const acceptWith = (provider: string): string => `bailiwick skill accept ${provider}`;

export const notAccepted = (provider: string): Refusal =>
  new Refusal("definition_changed", {
    message: `The files of the skill package ${provider} are not those that were accepted; nothing was started.`,
    next: `A person looks at the change and accepts it: ${acceptWith(provider)}`,
    details: { provider },
  });

export const changedMeanwhile = (tool: string): Refusal =>
  new Refusal("stale_surface", {
    message: `${tool} changed while this call waited for its turn; nothing was started.`,
    next: "List the tools again and repeat the call.",
  });

export const outsidePackage = (provider: string, script: string): Refusal =>
  new Refusal("upstream_failed", {
    message: `path_outside_package: ${script} is no regular file inside the skill package ${provider}; nothing was started.`,
    next: "Put the script into the package itself; a link must lead to a file in it.",
    details: { reason: "path_outside_package", script, effect: "none" },
  });

/** `why` is a sentence. */
export const notStarted = (tool: string, why: string): Refusal =>
  new Refusal("upstream_failed", {
    message: `The script of ${tool} was not started. ${why}`,
    next: "Put that right on the host's machine; bailiwick doctor says what is missing there.",
    details: { error: "not_started", effect: "none" },
  });

export const noSuchTool = (provider: string, name: string): Refusal =>
  new Refusal("upstream_failed", {
    message: `The skill package ${provider} has no tool ${JSON.stringify(name.slice(0, 100))} that may run.`,
    next: "List the tools again and use one of those names.",
  });

export const notHere = (provider: string, method: string): Refusal =>
  new Refusal("upstream_failed", {
    message: `The skill package ${provider} has nothing that answers ${method}.`,
    next: "Call its tools.",
  });

const CHECK = "Check whether the effect took place, then decide whether to call again.";

export const timedOut = (tool: PackageTool, limitMs: number): Refusal =>
  new Refusal("timed_out", {
    message: `${tool.name} was ended after ${limitMs / 1_000} s, which is all it may take.`,
    next: tool.readOnly ? "It changes nothing: call it again with less to do, or raise timeout_hint_secs." : CHECK,
    details: { effect: effectOf(tool), timeout_ms: limitMs },
    retryable: tool.annotations?.["idempotentHint"] === true,
  });

export const cancelled = (tool: PackageTool): Refusal =>
  new Refusal("cancelled", {
    message: `${tool.name} was cancelled while it ran, and was ended.`,
    next: tool.readOnly ? "It changes nothing: call it again if it is still wanted." : CHECK,
    details: { effect: effectOf(tool) },
  });

/** Nobody cancelled it. */
export const endedWithPackage = (provider: string, tool: PackageTool): Refusal =>
  new Refusal("cancelled", {
    message: `${tool.name} was ended while it ran, because the host stopped serving the skill package ${provider}.`,
    next: tool.readOnly ? "It changes nothing: call it again once the package is there." : CHECK,
    details: { error: "closing", effect: effectOf(tool) },
  });

const effectOf = ({ readOnly }: PackageTool): "none" | "unknown" => (readOnly ? "none" : "unknown");

export const tooManyTasks = (provider: string): Refusal =>
  new Refusal("not_ready", {
    message: `The skill package ${provider} has as many tasks as it keeps at once; nothing was started.`,
    next: "Wait until some have ended, or call it without declaring tasks.",
    details: { error: "too_many_tasks" },
    retryAfterMs: RETRY_MS,
  });
