/**
 * Puts the absolute path in the place of each argument that is a path of the workspace; everything else stays byte for byte. What
 * is recorded and approved are the arguments as they came.
 */
import { WorkspaceResolveError, type PathView } from "@bailiwick/contract";
import { glanceAtDisk } from "../../kernel/disk-view.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import type { RootList } from "../../kernel/roots.ts";
import type { Span } from "../../kernel/scan-json.ts";
import type { Permitted } from "../../kernel/stages.ts";
import { unresolvedPath } from "../../kernel/unresolved-path.ts";
import { beginWork, TooMuchWork } from "./check-work.ts";
import { compileSchema } from "./compile-schema.ts";
import { findPaths } from "./find-paths.ts";
import { invalidInput } from "./invalid-input.ts";
import { pathPlan } from "./path-plan.ts";

const MAX_PATHS = 200;
/** Each name of a path is a look at the disk. */
const MAX_CHARS = 65_536;

/** The arguments as they are to be sent; null: as they came. Throws the Refusal. */
export const resolvePaths = (call: Permitted, roots: RootList): RawJson | null => {
  const { tool } = call.target;
  if (tool === null || "unreadable" in compileSchema(tool.value)) return null;
  const plan = pathPlan(tool.value);
  if (plan === null) return null;
  const text = call.argsJson ?? JSON.stringify(call.args);
  const spans = search(call, () => findPaths(plan, text));
  const view = glanceAtDisk();
  let sent = "";
  let at = 0;
  for (const { start, end } of spans) {
    const given = JSON.parse(text.slice(start, end)) as string;
    const found = resolveOne(given, { call, roots, view });
    if (found === given) continue;
    sent += text.slice(at, start) + JSON.stringify(found);
    at = end;
  }
  return at === 0 ? null : rawJson(sent + text.slice(at));
};

const search = (call: Permitted, find: () => readonly Span[]): readonly Span[] => {
  beginWork();
  try {
    const spans = find();
    const chars = spans.reduce((sum, { start, end }) => sum + end - start, 0);
    if (spans.length <= MAX_PATHS && chars <= MAX_CHARS) return spans;
  } catch (no) {
    if (!(no instanceof TooMuchWork) && !(no instanceof RangeError)) throw no;
  }
  throw tooMany(call);
};

const tooMany = (call: Permitted): Refusal =>
  invalidInput(call, "", `may name at most ${MAX_PATHS} paths of ${MAX_CHARS} characters together; send fewer at once`);

interface Moment {
  readonly call: Permitted;
  readonly roots: RootList;
  readonly view: PathView;
}

const resolveOne = (path: string, { call, roots, view }: Moment): string => {
  try {
    return roots.resolve(path, view);
  } catch (no) {
    if (no instanceof WorkspaceResolveError) throw unresolvedPath(no, { roots, tool: call.target.flatName });
    throw no;
  }
};
