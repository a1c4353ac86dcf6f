/** Whose eyes a list of skills is for: a key is shown nothing of tools that it may not name or that are not there for it. */
import type { Principal } from "./principal.ts";
import type { Surface, Surfaces } from "./surface.ts";

export interface SkillViewer {
  readonly scopes: readonly string[] | null;
  /** Flat names of the tools that are listed for them. */
  readonly listed: ReadonlySet<string>;
}

/** Tools for apps alone are tools of their package too. */
const ALL = Object.freeze({ ui: true });

/** A surface is of one list of scopes, and another object when it lists something else. */
const known = new WeakMap<Surface, SkillViewer>();

export const skillViewer = (principal: Principal, surfaces: Pick<Surfaces, "of">): SkillViewer => {
  const surface = surfaces.of(principal, null, ALL);
  const { scopes } = principal;
  if (surface === null) return { scopes, listed: new Set() };
  const viewer = known.get(surface) ?? { scopes, listed: new Set(surface.rows().map(({ name }) => name)) };
  known.set(surface, viewer);
  return viewer;
};
