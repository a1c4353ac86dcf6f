/**
 * The surfaces of all workspaces, each with a registry of its own: what is in one is in no list, call, suggestion or notice
 * of another. Whose surface it is says the principal's workspace, which was verified.
 */
import type { CapabilityRules } from "../../kernel/capability-rules.ts";
import type { Surfaces } from "../../kernel/surface.ts";
import type { UriOwners } from "../../kernel/uri-owners.ts";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import { createSurfaces, type Sheets, type SurfacesOptions } from "./create-surfaces.ts";
import { createRegistry, type Registry } from "./registry.ts";

export interface WorkspaceSurfaces extends Omit<Sheets, "pages">, Pick<Surfaces, "onChange"> {
  registry(workspace: string): Registry;
  pages(workspace: string): ReturnType<Sheets["pages"]>;
  /** What is said about capabilities is not what it was: everybody lists again, or everybody in this workspace. */
  refresh(workspace?: string): void;
  close(): void;
}

/** Of what is said about capabilities, `capabilityOf` is enough where nothing but their definitions says anything. */
export interface WorkspaceSurfacesOptions
  extends Omit<SurfacesOptions, "owners" | "workspace" | "capabilities">, Partial<CapabilityRules> {
  readonly capabilityOf: CapabilityRules["capabilityOf"];
  readonly ownersOf: (workspace: string) => UriOwners;
}

interface Place {
  readonly registry: Registry;
  readonly sheets: Sheets;
}

const rulesOf = (options: WorkspaceSurfacesOptions): CapabilityRules => ({
  capabilityOf: options.capabilityOf,
  generation: options.generation ?? (() => 0),
  isOverlaid: options.isOverlaid ?? (() => false),
  flatNameOf: options.flatNameOf ?? (() => null),
  actorClass: options.actorClass ?? (() => ""),
});

export const createWorkspaceSurfaces = (options: WorkspaceSurfacesOptions): WorkspaceSurfaces => {
  const { ownersOf, maxNameLength, lifecycleOf, requirementsOf } = options;
  const capabilities = rulesOf(options);
  const places = new Map<string, Place>();
  const listeners = new Set<(workspace: string) => void>();

  const make = (workspace: string): Place => {
    const registry = createRegistry();
    const owners = ownersOf(workspace);
    const rules = { workspace, capabilities, owners, maxNameLength, lifecycleOf, requirementsOf };
    const place = { registry, sheets: createSurfaces(registry, rules) };
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
    pages: (workspace) => placeOf(workspace).sheets.pages(),
    refresh(workspace) {
      for (const [id, { registry }] of places) if (workspace === undefined || id === workspace) registry.touch();
    },
    close() {
      for (const { registry } of places.values()) registry.close();
      listeners.clear();
    },
  };
};
