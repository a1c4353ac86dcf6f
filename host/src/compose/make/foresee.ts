/** What a check before the generator's call would say of a call that makes a text, with nothing made. */
import { ComposeError } from "../compose-error.ts";
import type { ContentConfig } from "../configs/config-types.ts";
import { selectGenerator } from "../generators/select-generator.ts";
import { usesJinjaBlocks, usesJinjaExpression } from "../jinja/uses-jinja.ts";
import type { Credentials } from "../plugins/availability-of.ts";
import { preflight } from "../plugins/preflight.ts";
import type { Workbench } from "../workbench.ts";

export interface ForeseePorts extends Pick<Workbench, "configs" | "drafts"> {
  readonly generators: Pick<Workbench["generators"], "look">;
  readonly credentialsOf: (type: string) => Credentials;
}

export interface Foreseen {
  readonly generator: string;
  /** Null: it has all that it needs. */
  readonly missing: { readonly message: string; readonly next: string } | null;
}

/** Null: the call makes nothing, or what it makes cannot be known: its own answer says why. */
export type Foresee = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<Foreseen | null>;

const OF_CONFIG: ReadonlySet<string> = new Set(["generate_content", "regenerate_content", "preview_generation"]);

export const createForesee =
  (ports: ForeseePorts): Foresee =>
  async (tool, args) => {
    try {
      const config = await configOf(tool, args, ports);
      if (config === null) return null;
      const { generators } = await ports.generators.look();
      const known = new Set(generators.map(({ entry }) => entry.type));
      const { type } = selectGenerator(config, { known, usesJinjaBlocks, usesJinjaExpression });
      const entry = generators.find((listed) => listed.entry.type === type)!.entry;
      return { generator: type, missing: missingOf(() => preflight(entry, ports.credentialsOf(type))) };
    } catch (no) {
      if (no instanceof ComposeError) return null;
      throw no;
    }
  };

const configOf = async (
  tool: string,
  args: Readonly<Record<string, unknown>>,
  { configs, drafts }: Pick<ForeseePorts, "configs" | "drafts">,
): Promise<ContentConfig | null> => {
  const { content_config_id: id, draft_id: draftId } = args;
  if (OF_CONFIG.has(tool) && typeof id === "string") return (await configs.content(id)).config;
  if (tool !== "test_config" || typeof draftId !== "string") return null;
  const { config_type: type, config_data: data } = await drafts.read(draftId);
  // What is drafted was found valid.
  return type === "content" ? (data as ContentConfig) : null;
};

const missingOf = (check: () => unknown): Foreseen["missing"] => {
  try {
    check();
    return null;
  } catch (no) {
    if (!(no instanceof ComposeError)) throw no;
    return { message: no.message, next: String(no.details["next"]) };
  }
};
