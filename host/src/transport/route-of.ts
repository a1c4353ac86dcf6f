/** Which door a request's target belongs to. */
export type Route =
  | { readonly door: "mcp"; readonly provider: string | null }
  | { readonly door: "rest"; readonly path: string; readonly query: URLSearchParams };

const WHOLE: Route = { door: "mcp", provider: null };
const PROVIDERS = "/mcp/providers/";

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

export const routeOf = (url: string): Route => {
  if (url === "/mcp") return WHOLE;
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  if (path === "/mcp") return WHOLE;
  if (path.startsWith(PROVIDERS)) return { door: "mcp", provider: decode(path.slice(PROVIDERS.length)) };
  return { door: "rest", path, query: new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1)) };
};
