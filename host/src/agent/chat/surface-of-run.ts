/** The tools of a run as they are at this moment: what it may call, and which of that the model is shown. */
import { HostError } from "../../kernel/host-error.ts";
import type { Fence } from "../../kernel/call-run.ts";
import { isObject } from "../../kernel/is-object.ts";
import type { ModelTool } from "../../kernel/model.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { ListedTool } from "../../kernel/provider.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Surface, Surfaces, ToolRow } from "../../kernel/surface.ts";
import { neutraliseSchema } from "../prompt/neutralise-schema.ts";
import { neutraliseTags } from "../prompt/neutralise-tags.ts";
import { directList, type DirectList } from "../surface/direct-list.ts";
import { createModelNames, type ModelNames } from "../surface/model-names.ts";
import type { RunFence } from "../surface/run-fence.ts";

export interface SurfaceNowOptions {
  readonly surfaces: Pick<Surfaces, "of">;
  /** As it is now; its credential is looked at anew. */
  readonly principal: () => Principal;
  readonly rules: RunFence;
  /** What policy refuses this principal whatever the arguments are; null: nothing. */
  readonly refused: (principal: Principal, name: string) => Refusal | null;
  /** What stage 3 asks. */
  readonly fence: Fence;
  readonly maxDirectTools: number;
}

export interface SurfaceNow {
  readonly direct: DirectList<ToolRow>;
  readonly names: ModelNames;
  readonly tools: readonly ModelTool[];
}

const EMPTY_SCHEMA = Object.freeze({ type: "object" });

/** Made again only when the surface or what joined it is another. */
export class SurfaceOfRun {
  readonly #options: SurfaceNowOptions;
  #last: { readonly surface: Surface; readonly joined: string; readonly now: SurfaceNow } | null = null;

  constructor(options: SurfaceNowOptions) {
    this.#options = options;
  }

  now(joined: readonly string[]): SurfaceNow {
    const { surfaces, principal } = this.#options;
    const surface = surfaces.of(principal(), null);
    if (surface === null) throw new HostError("a workspace without a surface");
    const key = joined.join("\n");
    if (this.#last?.surface === surface && this.#last.joined === key) return this.#last.now;
    const now = this.#make(surface, joined);
    this.#last = { surface, joined: key, now };
    return now;
  }

  /** What a tool has to show; null: nothing, or nobody is left to show it to. */
  resourceUriOf(name: string): string | null {
    const meta = this.#tool(name)?.value["_meta"];
    const ui = isObject(meta) ? meta["ui"] : null;
    const uri = isObject(ui) ? ui["resourceUri"] : null;
    return typeof uri === "string" ? uri : null;
  }

  /** `principal`: whoever is behind the run may, the run itself may not. */
  whoMayCall(name: string): "run" | "principal" | "nobody" {
    if (this.#tool(name) === null) return "nobody";
    return this.#options.fence(name) === null ? "run" : "principal";
  }

  /** Null also where the credential is not good any more: what was called before has its end all the same. */
  #tool(name: string): ListedTool | null {
    const { surfaces, principal } = this.#options;
    try {
      return surfaces.of(principal(), null)?.tool(name) ?? null;
    } catch (no) {
      if (no instanceof Refusal) return null;
      throw no;
    }
  }

  #make(surface: Surface, joined: readonly string[]): SurfaceNow {
    const { rules, fence, maxDirectTools, refused } = this.#options;
    const principal = this.#options.principal();
    const rows = surface.rows().filter(({ name }) => fence(name) === null);
    const open = rows.filter(({ name }) => refused(principal, name) === null);
    const direct = directList({ rows: open, fence: rules, maxDirectTools, joined });
    // Over all that may be called, so that a name is the same whether it is listed or not.
    const names = createModelNames(rows.map(({ name }) => name));
    const shown = [...direct.listed, ...direct.joined];
    return { direct, names, tools: shown.map(({ name }) => modelTool(surface, name, names.nameFor(name))) };
  }
}

const modelTool = (surface: Surface, full: string, name: string): ModelTool => {
  const value = surface.tool(full)?.value ?? {};
  const [description, title, schema] = [value["description"], value["title"], value["inputSchema"]];
  const text = typeof description === "string" ? description : typeof title === "string" ? title : "";
  return {
    name,
    description: neutraliseTags(text),
    inputSchema: isObject(schema) ? neutraliseSchema(schema) : EMPTY_SCHEMA,
  };
};
