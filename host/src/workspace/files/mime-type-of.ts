/**
 * The type of a file: as given, unless that says nothing; then by the extensions of text formats, else unknown. Formats
 * without a registered type get one under `text/`, so that all who read by type read them as text.
 */
const UNKNOWN_TYPE = "application/octet-stream";

const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/json": "json map webmanifest",
  "application/xml": "xml xsd xsl xslt",
  "application/yaml": "yaml yml",
  "application/geo+json": "geojson",
  "application/ld+json": "jsonld",
  "application/x-ipynb+json": "ipynb",
  "application/atom+xml": "atom",
  "application/rss+xml": "rss",
  "image/svg+xml": "svg",
  "text/calendar": "ics",
  "text/css": "css scss less",
  "text/csv": "csv",
  "text/html": "html htm xhtml",
  "text/javascript": "js mjs cjs jsx",
  "text/markdown": "md markdown mdx",
  "text/plain": "txt text log ini cfg conf properties env diff patch jsonl ndjson tex rst adoc org srt graphql proto",
  "text/tab-separated-values": "tsv",
  "text/vcard": "vcf",
  "text/vtt": "vtt",
  "text/x-c": "c h cc cpp cxx hh hpp",
  "text/x-csharp": "cs",
  "text/x-go": "go",
  "text/x-java": "java",
  "text/x-kotlin": "kt kts",
  "text/x-lua": "lua",
  "text/x-perl": "pl pm",
  "text/x-php": "php",
  "text/x-python": "py pyi",
  "text/x-r": "r",
  "text/x-ruby": "rb",
  "text/x-rust": "rs",
  "text/x-shellscript": "sh bash zsh",
  "text/x-sql": "sql",
  "text/x-swift": "swift",
  "text/x-toml": "toml",
  "text/x-typescript": "ts tsx mts cts",
};

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries(EXTENSIONS).flatMap(([type, names]) => names.split(" ").map((name) => [name, type] as const)),
);

/** Without parameters, lower-case. */
export const bareType = (mimeType: string): string => (mimeType.split(";", 1)[0] ?? "").trim().toLowerCase();

export const isUnknownType = (mimeType: string): boolean => bareType(mimeType) === UNKNOWN_TYPE;

export const mimeTypeOf = (filename: string, given = ""): string => {
  const said = given.trim();
  if (said !== "" && !isUnknownType(said)) return said;
  const dot = filename.lastIndexOf(".");
  return (dot < 0 ? undefined : BY_EXTENSION.get(filename.slice(dot + 1).toLowerCase())) ?? UNKNOWN_TYPE;
};
