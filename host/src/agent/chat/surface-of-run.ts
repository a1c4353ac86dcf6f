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
  readonly tools: readonly ModelTool[];
}

/** What does not depend on which tools joined. */
interface Callable {
  readonly surface: Surface;
  /** Those that policy does not refuse whatever the arguments are. */
  readonly rows: readonly ToolRow[];
  /** Over all that may be called, so that a name is the same whether it is listed or not. */
  readonly names: ModelNames;
}

const EMPTY_SCHEMA = Object.freeze({ type: "object" });

/** Made again only when the surface or what joined it is another. */
export class SurfaceOfRun {
  readonly #options: SurfaceNowOptions;
  #callable: Callable | null = null;
  #last: { readonly callable: Callable; readonly joined: string; readonly now: SurfaceNow } | null = null;

  constructor(options: SurfaceNowOptions) {
    this.#options = options;
  }

  now(joined: readonly string[]): SurfaceNow {
    const callable = this.#callableNow();
    const key = joined.join("\n");
    if (this.#last?.callable === callable && this.#last.joined === key) return this.#last.now;
    const now = this.#make(callable, joined);
    this.#last = { callable, joined: key, now };
    return now;
  }

  /** How the model is told of a tool. */
  nameFor(name: string): string {
    return this.#callableNow().names.nameFor(name);
  }

  /** What a model means; the same text where no tool is meant. */
  fullName(written: string): string {
    return this.#callableNow().names.fullNameOf(written) ?? written;
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

  #callableNow(): Callable {
    const { surfaces, fence, refused } = this.#options;
    const principal = this.#options.principal();
    const surface = surfaces.of(principal, null);
    if (surface === null) throw new HostError("a workspace without a surface");
    if (this.#callable?.surface === surface) return this.#callable;
    const rows = surface.rows().filter(({ name }) => fence(name) === null);
    this.#callable = {
      surface,
      rows: rows.filter(({ name }) => refused(principal, name) === null),
      names: createModelNames(rows.map(({ name }) => name)),
    };
    return this.#callable;
  }

  #make({ surface, rows, names }: Callable, joined: readonly string[]): SurfaceNow {
    const { rules, maxDirectTools } = this.#options;
    const direct = directList({ rows, fence: rules, maxDirectTools, joined });
    const shown = [...direct.listed, ...direct.joined];
    return { direct, tools: shown.map(({ name }) => modelTool(surface, name, names.nameFor(name))) };
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
