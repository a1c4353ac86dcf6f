/** How an exchange looks at what its caller may see; a provider that was there and is gone is a bug of ours. */
import { HostError } from "../kernel/host-error.ts";
import type { Principal } from "../kernel/principal.ts";
import type { Surfaces } from "../kernel/surface.ts";
import type { Exchange } from "./exchange.ts";

export const surfaceOf =
  (surfaces: Surfaces, principal: Principal, provider: string | null): Exchange["surface"] =>
  (view) => {
    const found = surfaces.of(principal, provider, view);
    if (found === null) throw new HostError(`no surface for ${principal.id} on ${provider ?? "/mcp"}`);
    return found;
  };
