/** Whether a key may know of a bundle: it does of those of which it may name something. */
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Surfaces } from "../kernel/surface.ts";

/** A bundle that is switched off is no provider; only a key without scopes sees it. */
export const seesBundle = (principal: Principal, bundle: string, surfaces: Pick<Surfaces, "providers">): boolean =>
  principal.scopes === null || surfaces.providers(principal).some(({ name }) => name === bundle);

/** It guesses no name: the key might not be allowed to know it. */
export const unseenBundle = (name: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no bundle ${JSON.stringify(name.slice(0, 64))} that this key may name.`,
    next: "List those that it may: GET /v1/apps",
  });
