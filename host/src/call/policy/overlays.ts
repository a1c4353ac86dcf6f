/** All overlays that are in force in a workspace: the host's and its own, with what is wrong with them. */
import type { Config } from "@bailiwick/contract";
import { isAllowedActor, plainId } from "../../kernel/is-allowed-actor.ts";
import type { PolicyDiagnostic } from "../../kernel/policy-report.ts";
import type { Principal } from "../../kernel/principal.ts";
import { readOverlay, type Overlay } from "./overlay.ts";

export type PolicyConfig = Config["policy"];

export interface ToolOverlay {
  readonly source: "host" | "workspace";
  /** Null: it cannot be read, which disables its tool. */
  readonly overlay: Overlay | null;
  readonly fault: string | null;
}

export interface Overlays {
  readonly byTool: ReadonlyMap<string, readonly ToolOverlay[]>;
  /** Outward id to flat name, and back. */
  readonly flatNames: ReadonlyMap<string, string>;
  readonly ids: ReadonlyMap<string, string>;
  /** Named as those who decide about approvals. */
  readonly approvers: readonly string[];
  readonly diagnostics: readonly PolicyDiagnostic[];
  /** Principals with the same answer are in the same lists of allowed actors. */
  actorClass(principal: Pick<Principal, "id" | "subject" | "chain">): string;
}

interface Layer {
  readonly source: ToolOverlay["source"];
  readonly written: PolicyConfig["capabilities"];
}

const whereOf = ({ source }: Layer, tool: string): string =>
  `${source === "host" ? "" : "workspace.json: "}policy.capabilities.${tool}`;

export const readOverlays = (host: PolicyConfig, workspace: PolicyConfig | null): Overlays => {
  const layers: Layer[] = [{ source: "host", written: host.capabilities }];
  if (workspace !== null) layers.push({ source: "workspace", written: workspace.capabilities });
  const byTool = new Map<string, ToolOverlay[]>();
  const flatNames = new Map<string, string>();
  const ids = new Map<string, string>();
  const diagnostics: PolicyDiagnostic[] = [];

  const claim = (where: string, tool: string, id: string): void => {
    if (id === tool) return;
    const owner = flatNames.get(id);
    const taken = owner !== undefined && owner !== tool;
    // Every derived id has one of these, so an alias without them is nobody's own id.
    if (!taken && !/__|:resources$/.test(id) && !ids.has(tool)) {
      flatNames.set(id, tool);
      ids.set(tool, id);
      return;
    }
    if (owner === tool) return;
    const why = taken
      ? `is already the id of ${owner}`
      : ids.has(tool)
        ? "is a second id"
        : "has the form of a tool's own name";
    diagnostics.push({ severity: "error", where, message: `id ${JSON.stringify(id)} ${why}, so it is not used.` });
  };

  for (const layer of layers) {
    for (const [tool, written] of Object.entries(layer.written)) {
      const where = whereOf(layer, tool);
      const read = readOverlay(written);
      const overlay = "overlay" in read ? read.overlay : null;
      const fault = "fault" in read ? read.fault : null;
      byTool.set(tool, [...(byTool.get(tool) ?? []), { source: layer.source, overlay, fault }]);
      if (fault !== null)
        diagnostics.push({
          severity: "error",
          where,
          message: `${fault}; ${tool} is disabled until this is corrected.`,
        });
      if (overlay?.id !== undefined) claim(where, tool, overlay.id);
    }
  }
  const read = [...byTool.values()].flat();
  const approvers = read.flatMap(({ overlay }) => (overlay?.approval?.approvers ?? []).map(plainId));
  return { byTool, flatNames, ids, approvers, diagnostics, actorClass: classesOf(byTool) };
};

const classesOf = (byTool: ReadonlyMap<string, readonly ToolOverlay[]>): Overlays["actorClass"] => {
  const written = [...byTool.values()].flat().map(({ overlay }) => (overlay?.allowed_actors ?? []).map(plainId));
  const lists = [...new Map(written.filter((list) => list.length > 0).map((list) => [list.join("\n"), list])).values()];
  if (lists.length === 0) return () => "";
  return (principal) => lists.map((list) => (isAllowedActor(list, principal) ? "1" : "0")).join("");
};
