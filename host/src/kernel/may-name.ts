/**
 * What a credential with scopes may name. A scope is a glob over flat tool names, or over outward capability ids, as keys of
 * CHP have them: `echo__*`, `conformance.echo`.
 */
import { matchesGlob } from "./glob.ts";

/** Something of a provider, by the provider's name alone: what it lists may be unknown. */
export const mayName = (scopes: readonly string[], provider: string): boolean =>
  scopes.some((scope) => scope.startsWith(`${provider}__`) || matchesGlob(scope, `${provider}__*`));

/** This very thing. `capabilityId` is its outward id; absent: it has none but its name. Null scopes narrow nothing. */
export const isInScope = (scopes: readonly string[] | null, flatName: string, capabilityId?: string): boolean =>
  scopes === null ||
  scopes.some(
    (scope) => matchesGlob(scope, flatName) || (capabilityId !== undefined && matchesGlob(scope, capabilityId)),
  );
