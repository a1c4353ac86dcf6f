/** The route that a request means, and what of its path is the argument. Pure. */
import { bad } from "./chp-answers.ts";
import type { ChpRoute, ChpRoutes } from "./chp-parts.ts";

export interface FoundChpRoute {
  readonly route: ChpRoute;
  readonly argument: string;
}

/** `allowed`: there is such an address, for other methods. Null: there is none. */
export type ChpLookup = FoundChpRoute | { readonly allowed: readonly string[] } | null;

const METHODS = ["GET", "POST"] as const;
/** The longest id there may be, every character of it percent-encoded, and the words before it. */
const MAX_PATH = 1024;
/** What is answered outside the table, each for one method. */
const APART: ReadonlyMap<string, string> = new Map([
  ["/invoke", "POST"],
  ["/health", "GET"],
  ["/", "GET"],
  ["/.well-known/chp-identity", "GET"],
]);

export const findChpRoute = (routes: ChpRoutes, method: string, path: string): ChpLookup => {
  if (path.length > MAX_PATH) return null;
  const found = lookup(routes, method, path);
  if (found !== null) return found;
  const apart = APART.get(path);
  if (apart !== undefined) return { allowed: [apart] };
  const allowed = METHODS.filter((other) => lookup(routes, other, path) !== null);
  return allowed.length === 0 ? null : { allowed };
};

const lookup = (routes: ChpRoutes, method: string, path: string): FoundChpRoute | null => {
  const exact = path.endsWith("/") ? undefined : routes.get(`${method} ${path}`);
  if (exact) return { route: exact, argument: "" };
  // A route's own words are one or two, and all after them is the id, which may have slashes of its own.
  const first = path.indexOf("/", 1);
  const second = first === -1 ? -1 : path.indexOf("/", first + 1);
  return headed(routes, method, [path, second]) ?? headed(routes, method, [path, first]);
};

const headed = (routes: ChpRoutes, method: string, [path, slash]: [string, number]): FoundChpRoute | null => {
  if (slash === -1 || slash === path.length - 1) return null;
  const route = routes.get(`${method} ${path.slice(0, slash + 1)}`);
  return route ? { route, argument: decode(path.slice(slash + 1)) } : null;
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw bad("The id in the address is not well encoded.", "Percent-encode it as UTF-8.");
  }
};
