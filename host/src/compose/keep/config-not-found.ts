/** The "no" to an id that no config was saved under, with what may have been meant. */
import { ComposeError } from "../compose-error.ts";
import type { ConfigType } from "../configs/config-types.ts";
import { savedPathOf } from "../configs/saved-path-of.ts";
import type { SavedConfigs } from "../storage/saved-configs.ts";
import { nearIds } from "./near-ids.ts";
import { nextCall } from "./next-call.ts";

/** The id was checked. `type` null: either would have done, and neither is there. */
export const configNotFound = async (
  saved: SavedConfigs,
  id: string,
  type: ConfigType | null,
): Promise<ComposeError> => {
  const other = type === null ? null : type === "content" ? "artifact" : "content";
  if (other !== null && (await saved.find(other, id)) !== null)
    return notFound(id, type, { hint: ` The ${other} config of that id is there.`, near: [], next: useOf(other, id) });
  const types = type === null ? (["content", "artifact"] as const) : [type];
  // Names of files are enough: what is in them is nobody's question here.
  const ids = (await Promise.all(types.map((each) => saved.ids(each)))).flat();
  const near = nearIds(id, ids);
  if (near.length > 0) {
    const next = `Make the same call with the id "${near[0]}".`;
    return notFound(id, type, { hint: ` Did you mean "${near[0]}"?`, near, next });
  }
  const next =
    ids.length === 0
      ? "Draft one with draft_config, and save it with save_config."
      : nextCall(type === "artifact" ? "list_artifacts" : "list_content");
  return notFound(id, type, { hint: "", near, next });
};

interface Help {
  readonly hint: string;
  readonly near: readonly string[];
  readonly next: string;
}

const notFound = (id: string, type: ConfigType | null, { hint, near, next }: Help): ComposeError =>
  new ComposeError("config_not_found", `There is no ${type === null ? "" : `${type} `}config "${id}".${hint}`, {
    config_id: id,
    ...(type === null ? {} : { path: savedPathOf(type, id) }),
    nearest: near,
    next,
  });

const useOf = (type: ConfigType, id: string): string =>
  type === "artifact"
    ? nextCall("assemble_artifact", { artifact_config_id: id })
    : nextCall("generate_content", { content_config_id: id });
