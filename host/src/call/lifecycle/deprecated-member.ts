/** What the result of a deprecated tool says of that in `_meta`; nothing for any other. */
import { NO_MEMBERS, rawMembers, type RawMembers } from "../../kernel/raw-json.ts";
import type { Live } from "../../kernel/stages.ts";

export const deprecatedMember = ({ lifecycle, target }: Pick<Live, "lifecycle" | "target">): RawMembers => {
  // A deprecated tool that is starting shows that state instead, and is deprecated all the same.
  const { status, sunset, id } = target.capability;
  if (lifecycle.state !== "deprecated" && status !== "deprecated" && sunset === null) return NO_MEMBERS;
  const day = sunset === null ? null : new Date(sunset).toISOString();
  return rawMembers(`"dev.bailiwick/deprecated":${JSON.stringify({ capability: id, sunset: day })}`);
};
