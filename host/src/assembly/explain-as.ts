/** Whom an explanation is for: whoever asks, or somebody that they name, as that one's own key makes them. */
import type { CallPath } from "../call/create-call-path.ts";
import type { RawCall } from "../kernel/call.ts";
import type { Explanation } from "../kernel/explanation.ts";
import type { KeyRow } from "../kernel/key.ts";
import { Refusal } from "../kernel/refusal.ts";

export interface ExplainParts {
  readonly path: Pick<CallPath, "explain" | "identify">;
  readonly keys: () => Promise<readonly KeyRow[]>;
}

export const explainAs =
  ({ path, keys }: ExplainParts) =>
  async (raw: RawCall, as: string | null): Promise<Explanation> => {
    const asker = raw.verified?.principal ?? path.identify(raw.presented, raw.door);
    if (asker === null) throw unauthenticated();
    if (as === null) return path.explain(raw, asker);
    const live = (await keys()).filter(({ revokedAt }) => revokedAt === null);
    const named = path.identify.named(as, { asker, presented: raw.presented, door: raw.door, keys: live });
    if (named === null) throw unnamed(as);
    return path.explain(raw, named);
  };

const unauthenticated = (): Refusal =>
  new Refusal("unauthenticated", { message: "This credential is unknown or was revoked.", next: "Send a key." });

const unnamed = (as: string): Refusal =>
  new Refusal("bad_request", {
    message: `${JSON.stringify(as.slice(0, 80))} is no principal.`,
    next: "Write it as person:<name>, agent:<name> or service:<name>, or give the name of a CHP key.",
  });
