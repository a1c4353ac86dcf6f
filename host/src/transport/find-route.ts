/**
 * The route that a request means, and what of its path stands for the `*`: the last segment or the one before. In a route
 * that ends in `**` it is the third, and all from the fifth on is the rest. Pure.
 */
import type { RestRoute, RestRoutes } from "./rest-route.ts";

export interface FoundRoute extends RestRoute {
  readonly argument: string;
  readonly rest: string;
}

export const findRoute = (routes: RestRoutes, method: string, path: string): FoundRoute | null => {
  // A `*` that was sent is an argument like any other.
  const exact = path.includes("*") ? undefined : routes.get(`${method} ${path}`);
  if (exact) return { ...exact, argument: "", rest: "" };
  const named = (from: number, to: number): FoundRoute | null => {
    const route = from < to ? routes.get(`${method} ${path.slice(0, from)}*${path.slice(to)}`) : undefined;
    return route ? { ...route, argument: decode(path.slice(from, to)), rest: "" } : null;
  };
  const last = path.lastIndexOf("/");
  return (
    named(last + 1, path.length) ??
    named(path.lastIndexOf("/", last - 1) + 1, last) ??
    findOpenEnded(routes, method, path)
  );
};

const findOpenEnded = (routes: RestRoutes, method: string, path: string): FoundRoute | null => {
  const [root, first, second, name = "", what, ...more] = path.split("/");
  const rest = more.join("/");
  const route = routes.get(`${method} ${root}/${first}/${second}/*/${what}/**`);
  return route && name !== "" && rest !== "" ? { ...route, argument: decode(name), rest: decode(rest) } : null;
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
