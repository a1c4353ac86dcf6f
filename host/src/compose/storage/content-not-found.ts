/** The "no" to a content that has no stored version. */
import { ComposeError } from "../compose-error.ts";

export const contentNotFound = (id: string): ComposeError =>
  new ComposeError("content_not_found", `Nothing is stored for the content "${id}".`, {
    content_id: id,
    next: `Call generate_content with content_config_id "${id}".`,
  });
