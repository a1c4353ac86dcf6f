/** The folders that one call may work in. */
import type { UnderLists } from "./is-under.ts";
import type { RawCall } from "./call.ts";
import type { ClientRoots, RootList, RootsOf } from "./roots.ts";
import type { Identified } from "./stages.ts";

export const rootsOfCall = (
  rootsOf: RootsOf,
  { principal, clientRoots = null }: Pick<Identified, "clientRoots"> & { readonly principal: { workspace: string } },
): RootList => rootsOf({ workspace: principal.workspace, clientRoots });

/** What its client announces by now: a call that waited must not work in what was withdrawn meanwhile. */
export const clientRootsNow = ({ announcing, clientRoots = null }: RawCall): ClientRoots | null =>
  announcing === undefined ? clientRoots : announcing.current;

/** The same beside those that are the operator's. */
export const rootListsOf = (rootsOf: RootsOf, call: Parameters<typeof rootsOfCall>[1]): UnderLists => ({
  called: rootsOfCall(rootsOf, call),
  configured: rootsOf({ workspace: call.principal.workspace, clientRoots: null }),
});
