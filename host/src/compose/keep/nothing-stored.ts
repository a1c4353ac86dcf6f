/** The "no" to an id that no text is stored under, with the call that makes one. */
import { ComposeError } from "../compose-error.ts";
import { isDraftId } from "../configs/config-id.ts";
import type { Workbench } from "../workbench.ts";
import { nearIds } from "./near-ids.ts";
import { nextCall } from "./next-call.ts";

/** The id was checked. */
export const nothingStored = async (
  { saved, versions, drafts }: Pick<Workbench, "saved" | "versions" | "drafts">,
  id: string,
): Promise<ComposeError> => {
  const tell = (next: string, near: readonly string[] = []): ComposeError => {
    const hint = near.length === 0 ? "" : ` Did you mean "${near[0]}"?`;
    return new ComposeError("content_not_found", `Nothing is stored for the content "${id}".${hint}`, {
      content_id: id,
      nearest: near,
      next,
    });
  };
  if (isDraftId(id)) {
    const isThere = (await drafts.find(id)) !== null;
    return tell(isThere ? nextCall("test_config", { draft_id: id, dry_run: false }) : nextCall("list_content"));
  }
  if ((await saved.find("content", id)) !== null) return tell(nextCall("generate_content", { content_config_id: id }));
  return tell(nextCall("query_ephemeral_storage"), nearIds(id, await versions.contentIds()));
};
