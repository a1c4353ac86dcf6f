/** What stage 3 would say about a call, check by check, as far as one does not need another. */
import { Refusal } from "../../kernel/refusal.ts";
import { advance, type Identified, type Surfaced } from "../../kernel/stages.ts";
import { viewOf } from "../../kernel/surface.ts";
import { findTarget, judgeActor, judgeToken, judgeVersion, sheetOf, type SheetsOf } from "./surface.ts";
import { BarredActor } from "./surface-refusals.ts";

export interface SurfaceFinding {
  readonly check: "key_scope" | "tool" | "version" | "allowed_actors" | "surface_token";
  /** Null: it passes. */
  readonly refusal: Refusal | null;
  /** Why it passes, or what it needs that is not there. */
  readonly why: string;
  readonly evaluated: boolean;
}

export interface SurfaceExplanation {
  readonly findings: readonly SurfaceFinding[];
  /** Null: nothing is called by this name, as far as the caller is told. */
  readonly surfaced: Surfaced | null;
  readonly surface: string | null;
}

const finding = (check: SurfaceFinding["check"], why: string, refusal: Refusal | null = null): SurfaceFinding => ({
  check,
  refusal,
  why,
  evaluated: true,
});

const ORDER = ["key_scope", "tool", "version", "allowed_actors"] as const;

const checkOf = (no: Refusal): (typeof ORDER)[number] =>
  no instanceof BarredActor ? "allowed_actors" : no.kind === "not_visible" ? "key_scope" : "tool";

/** A "no" that ends the search: what stands before it passes, what comes after it cannot be asked. */
const stoppedBy = (no: Refusal): SurfaceFinding[] => {
  const failed = checkOf(no);
  return ORDER.map((check) => {
    if (check === failed) return { check, refusal: no, why: no.message, evaluated: true };
    const before = ORDER.indexOf(check) < ORDER.indexOf(failed) && check !== "version";
    const why = before ? (check === "tool" ? "found" : "in scope") : `depends on ${failed}`;
    return { check, refusal: null, why, evaluated: before };
  });
};

export const createExplainSurface =
  (sheets: SheetsOf) =>
  (call: Identified): SurfaceExplanation => {
    try {
      return explain(call, sheets);
    } catch (no) {
      if (!(no instanceof Refusal)) throw no;
      const sheet = sheets.of(call.principal, call.provider, viewOf(call.asker.declared));
      const token = sheet && judgeToken(call, sheet);
      const last = { check: "surface_token" as const, refusal: token, why: "as listed", evaluated: sheet !== null };
      return { findings: [...stoppedBy(no), last], surfaced: null, surface: sheet?.token ?? null };
    }
  };

const explain = (call: Identified, sheets: SheetsOf): SurfaceExplanation => {
  const sheet = sheetOf(call, sheets);
  const target = findTarget(call, sheet, sheets);
  const barred = judgeActor(call, target);
  if (barred) throw barred;
  const listed = target.capability.allowedActors.length > 0;
  const findings = [
    finding("key_scope", call.principal.scopes === null ? "not narrowed" : "in scope"),
    finding("tool", "found"),
    finding("version", target.capability.version, judgeVersion(call, target)),
    finding("allowed_actors", listed ? "listed" : "open to all"),
    finding("surface_token", call.surface === null ? "none given" : "as listed", judgeToken(call, sheet)),
  ];
  return { findings, surfaced: advance(call, { target }), surface: sheet.token };
};
