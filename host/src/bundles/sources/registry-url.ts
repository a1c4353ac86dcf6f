/** A path below the address of a registry, which may have a path of its own. Pure. */
export const registryUrl = (base: string, path: string, query: Readonly<Record<string, string>>): URL => {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  url.search = new URLSearchParams(query).toString();
  url.hash = "";
  return url;
};

/** As it may be shown: without what could be a secret. */
export const shownUrl = (base: string): string => {
  const { username, password, search, origin, pathname } = new URL(base);
  return username + password + search === "" ? base : `${origin}${pathname}`;
};
