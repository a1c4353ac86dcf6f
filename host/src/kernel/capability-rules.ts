/** What the surface has to know of capabilities to list and to find them. */
import type { CapabilityOf } from "./capability.ts";
import type { Principal } from "./principal.ts";

export interface CapabilityRules {
  readonly capabilityOf: CapabilityOf;
  /** Another number whenever what is said about capabilities of this workspace may be something else. */
  generation(workspace: string): number;
  /** False: nothing is said about this tool but by its own definition. */
  isOverlaid(workspace: string, flatName: string): boolean;
  /** The flat name behind an outward id that an overlay gives; null: no overlay gives it. */
  flatNameOf(workspace: string, id: string): string | null;
  /** Principals with the same answer are in the same lists of allowed actors. */
  actorClass(workspace: string, principal: Principal): string;
}
