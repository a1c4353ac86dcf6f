/** Whose eyes a list of skills is for: a key is shown nothing of tools that it may not name or that are not there for it. */
import type { Principal } from "./principal.ts";
import type { Surfaces } from "./surface.ts";

export interface SkillViewer {
  readonly scopes: readonly string[] | null;
  /** Flat names of the tools that are listed for them. */
  readonly listed: ReadonlySet<string>;
}

/** Tools for apps alone are tools of their package too. */
const ALL = Object.freeze({ ui: true });

export const skillViewer = (principal: Principal, surfaces: Pick<Surfaces, "of">): SkillViewer => ({
  scopes: principal.scopes,
  listed: new Set((surfaces.of(principal, null, ALL)?.rows() ?? []).map(({ name }) => name)),
});
