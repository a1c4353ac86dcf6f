/**
 * The thread that renders templates, merges texts and compares them: it computes and does nothing else, and may be ended at any
 * moment. What a template includes and the job has not, it asks for.
 */
import { parentPort } from "node:worker_threads";
import { HostError } from "../../kernel/host-error.ts";
import { mergeParts } from "../assemble/merge-parts.ts";
import { tellChanges } from "../assemble/tell-changes.ts";
import { ComposeError } from "../compose-error.ts";
import { renderTemplate } from "../jinja/render-template.ts";
import { TemplateError } from "../jinja/template-error.ts";
import type { MergeJob, RenderAsk, RenderJob, RenderPart, RenderReply } from "./render-messages.ts";

/** Up to so many times the limit a text is made whole, so that its size can be told. */
const MEASURED = 2;
const TOO_LONG = /^(?:it makes a text longer|the result is larger) than /;

class Wanted extends Error {
  readonly template: string;
  constructor(template: string) {
    super("a template is wanted");
    this.template = template;
  }
}

if (parentPort === null) throw new HostError("render-worker runs as a worker thread only");
const port = parentPort;

let job: RenderJob | null = null;
/** What is known so far of what the job includes. */
const files = new Map<string, string | null>();

const broken = (error: unknown): RenderReply => ({
  kind: "broken",
  reason: (error as Error).stack ?? String(error),
});

const render = ({ text, context, fuel, maxBytes }: RenderJob): RenderReply => {
  const load = (name: string): string | null => {
    const known = files.get(name);
    if (known === undefined) throw new Wanted(name);
    return known;
  };
  const most = maxBytes * MEASURED;
  try {
    const made = renderTemplate({ text, context, load, limits: { fuel, maxBytes: most } });
    const size = Buffer.byteLength(made);
    return size > maxBytes ? { kind: "large", size, isLeast: false } : { kind: "text", text: made };
  } catch (error) {
    if (error instanceof Wanted) return { kind: "wanted", name: error.template };
    if (!(error instanceof TemplateError)) return broken(error);
    const isTooLong = error.fault === "limit" && TOO_LONG.test(error.reason);
    return isTooLong ? { kind: "large", size: most, isLeast: true } : { kind: "failed", message: error.message };
  }
};

const merge = async (asked: MergeJob): Promise<RenderReply> => {
  try {
    return { kind: "merged", merged: await mergeParts(asked) };
  } catch (error) {
    if (!(error instanceof ComposeError)) return broken(error);
    const { code, message, details } = error;
    return { kind: "refused", code, message, details };
  }
};

const takeTemplate = (ask: RenderJob | RenderPart): RenderReply => {
  if (ask.kind === "begin") {
    job = ask;
    // Of one that was given up while it waited for a template.
    files.clear();
  } else files.set(ask.name, ask.text);
  if (job === null) return { kind: "broken", reason: "there is no job that wants a template" };
  const reply = render(job);
  if (reply.kind !== "wanted") {
    job = null;
    files.clear();
  }
  return reply;
};

const take = async (ask: RenderAsk): Promise<RenderReply> => {
  if (ask.kind === "merge") return merge(ask);
  if (ask.kind === "diff") return { kind: "compared", changes: tellChanges(ask.before, ask.after) };
  return takeTemplate(ask);
};

const say = (reply: RenderReply): void => port.postMessage(reply);

port.on("message", (ask: RenderAsk) => void take(ask).then(say));
say({ kind: "ready" });
