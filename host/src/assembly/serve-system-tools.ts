/** The host's own tools of one workspace, `nb__*`. */
import type { Config } from "@bailiwick/contract";
import type { SkillBook } from "../agent/skills/skill-book.ts";
import { createSystemTools } from "../agent/tools/create-system-tools.ts";
import { createSkillFiles } from "../agent/tools/skill-files.ts";
import type { SystemToolPorts } from "../agent/tools/system-tool-ports.ts";
import { createWorkspaceIndex } from "../agent/tools/workspace-index.ts";
import type { BundleAdmin } from "../kernel/bundle-admin.ts";
import { HostError } from "../kernel/host-error.ts";
import type { Provider } from "../kernel/provider.ts";
import type { Surfaces } from "../kernel/surface.ts";
import { readInstallOrder } from "./read-install-order.ts";
import { fieldsOfEntry, variablesOfEntry } from "./user-fields.ts";
import { HOST_VERSION } from "./version.ts";
import type { WorkspaceRoom } from "./workspace-room.ts";

/** What of the rest of the host they use, which is there by the time that anybody calls. */
export interface SystemParts {
  readonly surfaces: Pick<Surfaces, "of" | "providers">;
  readonly refused: SystemToolPorts["refused"];
  readonly bundles: () => BundleAdmin;
  readonly delegate: SystemToolPorts["delegate"];
  readonly room: (workspace: string) => WorkspaceRoom;
}

export interface SystemServing extends SystemParts {
  /** As it is now. */
  readonly settings: { readonly config: Config };
  /** Where skills that are made at run time lie. */
  readonly skillDir: string;
  readonly book: Pick<SkillBook, "local">;
  readonly skillsChanged: (name: string) => void;
}

export const serveSystemTools = (options: SystemServing): Provider => {
  const { surfaces, settings, room } = options;
  return createSystemTools({
    version: HOST_VERSION,
    surface(principal) {
      const surface = surfaces.of(principal, null);
      if (surface === null) throw new HostError("a workspace without a surface");
      return surface;
    },
    providers: (principal) => surfaces.providers(principal),
    refused: options.refused,
    index: createWorkspaceIndex(),
    bundles: {
      list: (workspace) => options.bundles().list(workspace),
      inspect: (workspace, name) => options.bundles().inspect(workspace, name),
      install: (order, asking, onProgress) => options.bundles().install(order, asking, onProgress),
      uninstall: (name, asking) => options.bundles().uninstall(name, asking),
      configure: (name, values, asking) => options.bundles().configure(name, values, asking),
      search: (query, order) => options.bundles().search(query, order),
    },
    async fieldsOf(entry, workspace) {
      const target = room(workspace);
      const fields = await fieldsOfEntry(target, readInstallOrder({ ...entry }, target));
      return fields && Object.entries(fields).map(([key, { sensitive }]) => ({ key, sensitive: sensitive ?? false }));
    },
    variablesOf(entry, workspace) {
      const target = room(workspace);
      return variablesOfEntry(target, readInstallOrder({ ...entry }, target));
    },
    delegate: options.delegate,
    skillFiles: createSkillFiles({ dir: options.skillDir, loaded: () => options.book.local() }),
    skillsChanged: options.skillsChanged,
    features: () => settings.config.features,
  });
};
