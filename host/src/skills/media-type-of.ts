/** What a file of a skill is, by how its name ends; bytes of no known kind where that does not tell. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["md", "text/markdown"],
  ["txt", "text/plain"],
  ["csv", "text/csv"],
  ["html", "text/html"],
  ["css", "text/css"],
  ["js", "text/javascript"],
  ["mjs", "text/javascript"],
  ["ts", "text/typescript"],
  ["py", "text/x-python"],
  ["sh", "application/x-sh"],
  ["json", "application/json"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["xml", "application/xml"],
  ["pdf", "application/pdf"],
  ["svg", "image/svg+xml"],
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
]);
const UNKNOWN = "application/octet-stream";

export const mediaTypeOf = (name: string): string =>
  TYPES.get(name.slice(name.lastIndexOf(".") + 1).toLowerCase()) ?? UNKNOWN;
