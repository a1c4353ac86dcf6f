/**
 * Stage 3 for a call that is new: where its provider is starting and has never listed anything, it waits for that, as a call
 * of a tool that is known waits for its provider. The first call into a workspace is one of these. A URI may be of each of
 * those that are starting, so it waits for all of them.
 */
import type { Identified, Surfaced } from "../../kernel/stages.ts";
import { NotYetListed } from "./not-yet-listed.ts";

const READY_WAIT_MS = 2_000;

type Surface = (call: Identified) => Surfaced;

export const awaitListing =
  (surface: Surface) =>
  (call: Identified): Surfaced | Promise<Surfaced> => {
    try {
      return surface(call);
    } catch (no) {
      if (no instanceof NotYetListed) return again(surface, call, no);
      throw no;
    }
  };

const again = async (surface: Surface, call: Identified, { providers }: NotYetListed): Promise<Surfaced> => {
  await Promise.all(providers.map((provider) => provider.whenReady(READY_WAIT_MS, call.signal)));
  return surface(call);
};
