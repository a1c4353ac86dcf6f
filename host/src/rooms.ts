/**
 * Who imports whom, read from the source, and which of it the house rules forbid. Reads text, not syntax trees: it sees
 * `import`, `export … from`, `import()`, `require()` and `new URL("…", import.meta.url)` with a literal; an `import()` or
 * `require()` of anything else is reported, so that nothing hides in an expression. Serves `rooms.test.ts` only; no part of the host imports it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

export interface SourceFile {
  /** From the repository's root: `host/src/kernel/call.ts`. */
  readonly path: string;
  readonly text: string;
}

export interface Edge {
  readonly from: string;
  /** A path like `SourceFile.path`, or the name of a package. */
  readonly to: string;
}

const COMMENT_OR_STRING = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const SPECIFIER = /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\(|\bnew\s+URL\s*\()\s*["']([^"'\n]+)["']/g;
const COMPUTED_IMPORT = /\b(?:import|require)\s*\(\s*(?!["'\s])[^)\n]*\)?/;

export const withoutComments = (text: string): string =>
  text.replace(COMMENT_OR_STRING, (match) => (match.startsWith("/") ? " " : match));

export const readSources = (root: string, folders: readonly string[]): SourceFile[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((name) => posix.join(folder, name.replaceAll("\\", "/")))
      .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && !/(^|\/)(node_modules|dist)\//.test(path))
      .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") })),
  );

const resolveSpecifier = (from: string, specifier: string): string =>
  specifier.startsWith(".") ? posix.join(dirname(from), specifier) : specifier;

export const readEdges = (files: readonly SourceFile[]): Edge[] =>
  files.flatMap(({ path, text }) =>
    Array.from(withoutComments(text).matchAll(SPECIFIER), ([, specifier = ""]) => ({
      from: path,
      to: resolveSpecifier(path, specifier),
    })).filter(({ to }) => !/^[a-z]+:\/\//.test(to)),
  );

/** Imports that cannot be read from the text, `path: the text`. */
export const findComputedImports = (files: readonly SourceFile[]): string[] =>
  files.flatMap(({ path, text }) => {
    const found = COMPUTED_IMPORT.exec(withoutComments(text));
    return found ? [`${path}: ${found[0]}`] : [];
  });

/**
 * The room of a path or package: the first folder under `host/src` (`call/<stage>` is one of its own), `host` for files
 * that lie directly in it, `contract`, `bundle-sdk`, `web`; null for what has no room (packages, fixtures).
 */
const roomOf = (path: string): string | null => {
  if (/^(?:@bailiwick\/)?contract(?:\/|$)/.test(path)) return "contract";
  if (path.startsWith("bundle-sdk/") || path.startsWith("web/")) return path.split("/")[0] ?? null;
  if (!path.startsWith("host/src/")) return null;
  const [first = "", second = "", third] = path.slice("host/src/".length).split("/");
  if (second === "") return "host";
  return first === "call" && third !== undefined ? `call/${second}` : first;
};

const isAllowed = (from: string, to: string): boolean => {
  if (from === to) return true;
  if (from === "contract") return false;
  if (to === "contract") return true;
  if (from === "kernel" || from === "web" || from === "bundle-sdk") return false;
  if (to === "kernel") return true;
  if (from === "call") return to.startsWith("call/");
  if (from === "assembly") return to !== "cli" && to !== "host";
  return (from === "cli" || from === "host") && to === "assembly";
};

/** Every edge that crosses a wall, `file → file (room may not import room)`. */
export const findForbidden = (edges: readonly Edge[]): string[] =>
  edges.flatMap(({ from, to }) => {
    const [source, target] = [roomOf(from), roomOf(to)];
    if (source === null || target === null || isAllowed(source, target)) return [];
    return [`${from} → ${to} (${source} may not import ${target})`];
  });

export const roomEdges = (edges: readonly Edge[]): Edge[] =>
  edges.flatMap(({ from, to }) => {
    const [source, target] = [roomOf(from), roomOf(to)];
    return source === null || target === null || source === target ? [] : [{ from: source, to: target }];
  });

/** One cycle as `a → b → a`, or null. */
export const findCycle = (edges: readonly Edge[]): string | null => {
  const targets = Map.groupBy(edges, (edge) => edge.from);
  const done = new Set<string>();
  const visit = (node: string, trail: readonly string[]): string | null => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node].join(" → ");
    if (done.has(node)) return null;
    for (const { to } of targets.get(node) ?? []) {
      const cycle = visit(to, [...trail, node]);
      if (cycle !== null) return cycle;
    }
    done.add(node);
    return null;
  };
  for (const node of targets.keys()) {
    const cycle = visit(node, []);
    if (cycle !== null) return cycle;
  }
  return null;
};

/** The table of docs/rooms.md: each room and the rooms it imports, sorted. */
export const drawRooms = (edges: readonly Edge[]): string => {
  const rooms = roomEdges(edges);
  const all = new Set(rooms.flatMap(({ from, to }) => [from, to]));
  const width = Math.max(...Array.from(all, (room) => room.length));
  return Array.from(all)
    .toSorted()
    .map((room) => {
      const targets = new Set(rooms.filter(({ from }) => from === room).map(({ to }) => to));
      return `${room.padEnd(width)} → ${Array.from(targets).toSorted().join(" ") || "–"}`;
    })
    .join("\n");
};
