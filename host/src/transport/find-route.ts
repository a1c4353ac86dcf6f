/** The route that a request means, and the segment of its path that stands for the `*`: the last or the one before. Pure. */
import type { RestRoute, RestRoutes } from "./rest-route.ts";

export interface FoundRoute extends RestRoute {
  readonly argument: string;
}

export const findRoute = (routes: RestRoutes, method: string, path: string): FoundRoute | null => {
  // A `*` that was sent is an argument like any other.
  const exact = path.includes("*") ? undefined : routes.get(`${method} ${path}`);
  if (exact) return { ...exact, argument: "" };
  const named = (from: number, to: number): FoundRoute | null => {
    const route = from < to ? routes.get(`${method} ${path.slice(0, from)}*${path.slice(to)}`) : undefined;
    return route ? { ...route, argument: decode(path.slice(from, to)) } : null;
  };
  const last = path.lastIndexOf("/");
  return named(last + 1, path.length) ?? named(path.lastIndexOf("/", last - 1) + 1, last);
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
