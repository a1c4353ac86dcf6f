/** The folders that one call may work in. */
import type { RootList, RootsOf } from "./roots.ts";
import type { Identified } from "./stages.ts";

export const rootsOfCall = (
  rootsOf: RootsOf,
  { principal, clientRoots = null }: Pick<Identified, "clientRoots"> & { readonly principal: { workspace: string } },
): RootList => rootsOf({ workspace: principal.workspace, clientRoots });
