/** Which door a request's target belongs to. */
export type Route =
  | { readonly door: "mcp"; readonly provider: string | null }
  /** The path is the one below the mount, from its slash on. */
  | { readonly door: "chp"; readonly path: string; readonly query: string }
  | { readonly door: "rest"; readonly path: string; readonly query: URLSearchParams };

const WHOLE: Route = { door: "mcp", provider: null };
const PROVIDERS = "/mcp/providers/";
/** Documents that are looked for at the root of a site. */
const CHP_AT_ROOT: ReadonlySet<string> = new Set([
  "/.well-known/chp-identity",
  "/.well-known/capabilities.json",
  "/capabilities.txt",
]);

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** `mount`: where the CHP door stands; null: nowhere. */
export const routeOf = (url: string, mount: string | null = null): Route => {
  if (url === "/mcp") return WHOLE;
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  if (path === "/mcp") return WHOLE;
  const below = mount === null ? null : belowMount(path, mount);
  if (below !== null) return { door: "chp", path: below, query: mark === -1 ? "" : url.slice(mark + 1) };
  if (path.startsWith(PROVIDERS)) return { door: "mcp", provider: decode(path.slice(PROVIDERS.length)) };
  return { door: "rest", path, query: new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1)) };
};

const belowMount = (path: string, mount: string): string | null => {
  if (path.startsWith(mount) && (path.length === mount.length || path[mount.length] === "/")) {
    return path.slice(mount.length) || "/";
  }
  return CHP_AT_ROOT.has(path) ? path : null;
};
