/** Where a config is saved and looked for, from the first configured root. The id was checked. */
import type { ConfigType } from "./config-types.ts";

export const savedPathOf = (type: ConfigType, id: string): string =>
  type === "content" ? `configs/content/${id}/${id}-content.json` : `configs/artifacts/${id}-artifact.json`;
