/**
 * Tells those who follow a workspace that a call has, or may have, changed something: each successful one of a tool that is
 * not marked as read-only, from whatever door. Looks at answers that are on their way out and changes none; where nobody ever
 * followed, it costs a look into a map. A call that began a task has not ended yet and is not told of.
 */
import type { Answer, RawCall } from "../kernel/call.ts";
import type { Principal } from "../kernel/principal.ts";
import type { Surfaces, View } from "../kernel/surface.ts";
import type { FollowedEvents } from "./workspace-events.ts";

/** Tools that are for apps only change things too. */
const EVERY_TOOL: View = Object.freeze({ ui: true });

export interface DataChangesOptions {
  readonly surfaces: Pick<Surfaces, "of">;
  readonly news: Pick<FollowedEvents, "publish" | "wasFollowed">;
}

export const tellDataChanges = ({ surfaces, news }: DataChangesOptions): ((raw: RawCall, answer: Answer) => void) => {
  const isReadOnly = (principal: Principal, flatName: string): boolean => {
    const annotations = surfaces.of(principal, null, EVERY_TOOL)?.tool(flatName)?.value["annotations"];
    return (annotations as { readonly readOnlyHint?: unknown } | null | undefined)?.readOnlyHint === true;
  };
  const tell = ({ door }: RawCall, principal: Principal, flatName: string): void => {
    const split = flatName.indexOf("__");
    if (split === -1 || isReadOnly(principal, flatName)) return;
    const data = {
      server: flatName.slice(0, split),
      tool: flatName.slice(split + 2),
      timestamp: new Date().toISOString(),
      origin: door,
    };
    news.publish(principal.workspace, { type: "data.changed", data });
  };
  return (raw, answer) => {
    const { principal, tool } = answer;
    if (principal !== null && tool !== null && hasRun(raw, answer) && news.wasFollowed(principal.workspace)) {
      tell(raw, principal, tool);
    }
  };
};

const hasRun = ({ operation }: RawCall, { outcome, ending, replayed }: Answer): boolean =>
  outcome === "success" && operation === "call" && replayed !== true && ending.kind === "result" && !ending.isError;
