/** The part of the run surface whose definitions are sent to the model, in the order in which they are sent. Pure. */
import type { ToolRow } from "../../kernel/surface.ts";
import { isOfProvider, isSystemTool, type RunFence } from "./run-fence.ts";

type DirectRow = Pick<ToolRow, "name" | "provider" | "state" | "missing">;

export interface DirectOptions<Row extends DirectRow> {
  /** The run surface. */
  readonly rows: readonly Row[];
  readonly fence: RunFence;
  readonly maxDirectTools: number;
  /** Flat names of tools that joined, in the order of `JoinedTools`. */
  readonly joined: readonly string[];
}

export interface DirectList<Row> {
  /**
   * `skill`: what the skill, or the list of a delegate, allows. `all`: the whole run surface. `discovery`: the tools of
   * bundles are too many, and the model finds them with `nb__discover_tools`; never where that one cannot be called.
   */
  readonly tier: "skill" | "all" | "discovery";
  /** Without those that joined. */
  readonly listed: readonly Row[];
  /** Those that joined, behind the others. */
  readonly joined: readonly Row[];
}

const DISCOVERY = "nb__discover_tools";
/** The host's own families; they never hide what a bundle brings. */
const NOT_COUNTED: ReadonlySet<string> = new Set(["nb", "files", "compose", "skills"]);
/** A tool whose provider is starting or crashed stays, so that a restart changes nothing. */
const NOT_CALLABLE: ReadonlySet<ToolRow["state"]> = new Set<ToolRow["state"]>([
  "declared",
  "suspended",
  "disabled",
  "unavailable",
]);

export const isCallable = ({ state, missing }: Pick<ToolRow, "state" | "missing">): boolean =>
  missing.length === 0 && !NOT_CALLABLE.has(state);

export const directList = <Row extends DirectRow>(options: DirectOptions<Row>): DirectList<Row> => {
  const { rows, fence, maxDirectTools, joined } = options;
  const callable = rows.filter(isCallable);
  const tier = tierOf(callable, fence, maxDirectTools);
  const isListed = ({ name }: Row): boolean =>
    tier !== "discovery" || isSystemTool(name) || isOfProvider(name, fence.focused);
  const behind = new Map(callable.filter((row) => !isListed(row)).map((row) => [row.name, row]));
  return {
    tier,
    listed: callable.filter(isListed).toSorted(byName),
    joined: [...new Set(joined)].flatMap((name) => behind.get(name) ?? []),
  };
};

const tierOf = (
  callable: readonly DirectRow[],
  { skill }: RunFence,
  maxDirectTools: number,
): DirectList<never>["tier"] => {
  if ((skill?.allowedTools ?? null) !== null) return "skill";
  const counted = callable.reduce((sum, { provider }) => (NOT_COUNTED.has(provider) ? sum : sum + 1), 0);
  if (counted <= maxDirectTools) return "all";
  return callable.some(({ name }) => name === DISCOVERY) ? "discovery" : "all";
};

/** Provider, then tool, by code point; names of providers are ASCII without `_`, those of tools may be anything. */
const byName = (a: DirectRow, b: DirectRow): number =>
  byCodePoint(a.provider, b.provider) || byCodePoint(a.name, b.name);

const byCodePoint = (a: string, b: string): number => {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === shorter) return a.length - b.length;
  const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
  // Halves of a pair stand for code points beyond all others.
  const [xHalf, yHalf] = [isHalf(x), isHalf(y)];
  return xHalf === yHalf ? x - y : xHalf ? 1 : -1;
};

const isHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
