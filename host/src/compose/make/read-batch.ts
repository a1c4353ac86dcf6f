/** The items of a batch: each id once, in order, with the context that it is made with. */
import { ComposeError } from "../compose-error.ts";
import { checkConfigId } from "../configs/config-id.ts";
import { overlayContext, readContext, type Context } from "../configs/read-context.ts";

export interface BatchItem {
  readonly content_id: string;
  readonly context: Context;
}

type Args = Readonly<Record<string, unknown>>;

export const readBatch = (args: Args, limit: number): readonly BatchItem[] => {
  const ids = [...new Set((args["content_ids"] as readonly unknown[]).map(checkConfigId))];
  if (ids.length > limit) throw batchTooLarge(ids.length, limit);
  const shared = readContext(args["shared_context"]);
  const own = (args["individual_contexts"] ?? {}) as Args;
  const stray = Object.keys(own).find((id) => !ids.includes(id));
  if (stray !== undefined) throw notInBatch(stray);
  return ids.map((id) => ({ content_id: id, context: overlayContext(shared, readOwn(own, id)) }));
};

const readOwn = (own: Args, id: string): Context => {
  try {
    return readContext(Object.hasOwn(own, id) ? own[id] : undefined);
  } catch (error) {
    if (!(error instanceof ComposeError)) throw error;
    throw new ComposeError(error.code, error.message, { content_id: id, ...error.details });
  }
};

const batchTooLarge = (size: number, limit: number): ComposeError =>
  new ComposeError("batch_too_large", `The batch has ${size} contents; at most ${limit} are allowed.`, {
    size,
    limit,
    next: `Call batch_generate_content with at most ${limit} of them, and again with the rest.`,
  });

const notInBatch = (given: string): ComposeError => {
  const id = given.slice(0, 100).toWellFormed();
  return new ComposeError(
    "invalid_input",
    `individual_contexts has a context for ${JSON.stringify(id)}, which is not among content_ids.`,
    { content_id: id, next: "Name it in content_ids too, or leave its context out." },
  );
};
