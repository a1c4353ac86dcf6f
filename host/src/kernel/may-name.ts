/** Whether a key with these scopes may name something of a provider, by the provider's name alone: what it lists may be unknown. */
import { matchesGlob } from "./glob.ts";

export const mayName = (scopes: readonly string[], provider: string): boolean =>
  scopes.some((scope) => scope.startsWith(`${provider}__`) || matchesGlob(scope, `${provider}__*`));
