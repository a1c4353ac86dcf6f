/**
 * The surfaces of all workspaces, each with a registry of its own: what is in one is in no list, call, suggestion or notice
 * of another. Whose surface it is says the principal's workspace, which was verified.
 */
import type { Surfaces } from "../../kernel/surface.ts";
import type { UriOwners } from "../../kernel/uri-owners.ts";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import { createSurfaces, type Sheets, type SurfacesOptions } from "./create-surfaces.ts";
import { createRegistry, type Registry } from "./registry.ts";

export interface WorkspaceSurfaces extends Sheets, Pick<Surfaces, "onChange"> {
  registry(workspace: string): Registry;
  close(): void;
}

export interface WorkspaceSurfacesOptions extends Omit<SurfacesOptions, "owners"> {
  readonly ownersOf: (workspace: string) => UriOwners;
}

interface Place {
  readonly registry: Registry;
  readonly sheets: Sheets;
}

export const createWorkspaceSurfaces = ({ ownersOf, ...rules }: WorkspaceSurfacesOptions): WorkspaceSurfaces => {
  const places = new Map<string, Place>();
  const listeners = new Set<(workspace: string) => void>();

  const make = (workspace: string): Place => {
    const registry = createRegistry();
    const place = { registry, sheets: createSurfaces(registry, { ...rules, owners: ownersOf(workspace) }) };
    registry.onChange(() => {
      for (const listener of listeners) listener(workspace);
    });
    places.set(workspace, place);
    return place;
  };
  const placeOf = (workspace: string): Place => places.get(workspace) ?? make(workspace);

  return {
    of: (principal, provider, view) => placeOf(principal.workspace).sheets.of(principal, provider, view),
    providers: (principal) => placeOf(principal?.workspace ?? DEFAULT_WORKSPACE).sheets.providers(principal),
    watch: (order, updated) => placeOf(order.principal.workspace).sheets.watch(order, updated),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    registry: (workspace) => placeOf(workspace).registry,
    close() {
      for (const { registry } of places.values()) registry.close();
      listeners.clear();
    },
  };
};
