/** Tools that were found join what the model is shown next; returns those that it will see. */
import type { JoinedTools } from "../surface/joined-tools.ts";
import type { SurfaceOfRun } from "./surface-of-run.ts";

export const joinFound = (
  { surface, joined }: { readonly surface: SurfaceOfRun; readonly joined: JoinedTools },
  names: readonly string[],
): readonly string[] => {
  const { listed } = surface.now([]).direct;
  const shown = new Set(listed.map(({ name }) => name));
  joined.join(names, (name) => shown.has(name));
  for (const name of joined.names()) shown.add(name);
  return names.filter((name) => shown.has(name));
};
