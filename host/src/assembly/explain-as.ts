/**
 * Whom an explanation is for: whoever asks, or somebody that they name, as that one's own key makes them. What the host's own
 * tools would find missing before they begin is told with it.
 */
import type { CallPath } from "../call/create-call-path.ts";
import type { Foreseen } from "../compose/make/foresee.ts";
import type { RawCall } from "../kernel/call.ts";
import type { Explanation } from "../kernel/explanation.ts";
import type { KeyRow } from "../kernel/key.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";

export interface ExplainParts {
  readonly path: Pick<CallPath, "explain" | "identify">;
  readonly keys: () => Promise<readonly KeyRow[]>;
  /** By the flat name; null: there is nothing to be found missing. */
  readonly foresee: (workspace: string, tool: string, args: RawCall["args"]) => Promise<Foreseen | null>;
}

export const explainAs = ({ path, keys, foresee }: ExplainParts) => {
  const explain = async (raw: RawCall, principal: Principal): Promise<Explanation> => {
    const explanation = path.explain(raw, principal);
    // Somebody who may not call it is not told what its configs need.
    if (explanation.tool === null || explanation.verdict === "refuse") return explanation;
    const foreseen = await foresee(principal.workspace, explanation.tool, raw.args);
    return foreseen === null ? explanation : withForeseen(explanation, foreseen);
  };
  return async (raw: RawCall, as: string | null): Promise<Explanation> => {
    const asker = raw.verified?.principal ?? path.identify(raw.presented, raw.door);
    if (asker === null) throw unauthenticated();
    if (as === null) return explain(raw, asker);
    const live = (await keys()).filter(({ revokedAt }) => revokedAt === null);
    const named = path.identify.named(as, { asker, presented: raw.presented, door: raw.door, keys: live });
    if (named === null) throw unnamed(as);
    return explain(raw, named);
  };
};

const STAGE = { stage: 10, name: "upstream", check: "preflight" } as const;

const withForeseen = (explanation: Explanation, { generator, missing }: Foreseen): Explanation => {
  const { stage, name, check } = STAGE;
  if (missing === null) {
    const why = `the generator ${generator} has what it needs`;
    return { ...explanation, stages: [...explanation.stages, { ...STAGE, status: "pass", why }] };
  }
  const { message: why, next } = missing;
  return {
    ...explanation,
    verdict: "refuse",
    decided_by: { stage, name, rule: check },
    next: { fixer: "operator", do: next },
    stages: [...explanation.stages, { ...STAGE, status: "fail", why, next }],
  };
};

const unauthenticated = (): Refusal =>
  new Refusal("unauthenticated", { message: "This credential is unknown or was revoked.", next: "Send a key." });

const unnamed = (as: string): Refusal =>
  new Refusal("bad_request", {
    message: `${JSON.stringify(as.slice(0, 80))} is no principal.`,
    next: "Write it as person:<name>, agent:<name> or service:<name>, or give the name of a CHP key.",
  });
