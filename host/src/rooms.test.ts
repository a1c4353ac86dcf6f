import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  drawRooms,
  findComputedImports,
  findCycle,
  findForbidden,
  readEdges,
  readSources,
  roomEdges,
  withoutComments,
} from "./rooms.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const ROOMS_DOC = join(ROOT, "docs", "rooms.md");
const FOLDERS = ["contract/src", "host/src", "bundle-sdk/src", "web/src"];
/** This file is left out: what it plants below is text that no one imports. */
const files = readSources(ROOT, FOLDERS).filter(({ path }) => path !== "host/src/rooms.test.ts");
const edges = readEdges(files);
/** Tests and what only they use. The walls bind them too; the drawing, and what is said of shipped code, leaves them out. */
const isTest = (path: string): boolean => /\.test\.ts$|-for-tests\.ts$/.test(path);
const shipped = edges.filter(({ from }) => !isTest(from));

describe("the rooms of this repository", () => {
  it("every import keeps to its room's walls", () => {
    expect(findForbidden(edges)).toEqual([]);
  });

  it("no import hides its target in an expression", () => {
    expect(findComputedImports(files.filter(({ path }) => !isTest(path)))).toEqual([]);
  });

  it("nothing that is shipped imports what is there for tests", () => {
    expect(shipped.filter(({ to }) => isTest(to) || /^vitest$|^host\/test\//.test(to))).toEqual([]);
  });

  it("no rooms import each other in a circle", () => {
    expect(findCycle(roomEdges(edges))).toBeNull();
  });

  it("no files import each other in a circle", () => {
    expect(findCycle(edges)).toBeNull();
  });

  it("contract runs in a browser: it imports nothing of Node", () => {
    const ofNode = shipped.filter(({ from, to }) => from.startsWith("contract/") && to.startsWith("node:"));
    expect(ofNode).toEqual([]);
  });

  it("docs/rooms.md shows the walls as they are (vitest run host/src/rooms.test.ts -u redraws it)", async () => {
    const text = readFileSync(ROOMS_DOC, "utf8");
    const block = /```rooms\n[\s\S]*?```/;
    expect(text).toMatch(block);
    await expect(text.replace(block, () => `\`\`\`rooms\n${drawRooms(shipped)}\n\`\`\``)).toMatchFileSnapshot(
      ROOMS_DOC,
    );
  });

  it("no source file is longer than 300 lines", () => {
    const all = readSources(ROOT, [...FOLDERS, "bench/src", "scripts"]);
    const long = all.filter(({ text }) => text.trimEnd().split("\n").length > 300).map(({ path }) => path);
    expect(long).toEqual([]);
  });

  it("no folder or file is named utils, helpers, services or manager", () => {
    const names = [...FOLDERS, "bench/src", "scripts"].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
    );
    expect(
      names.filter((name) =>
        /\/(utils?|helpers?|services?|managers?)(\/|\.|$)|-(utils?|helpers?|manager)\./.test(name),
      ),
    ).toEqual([]);
  });
});

/**
 * Where `Provider.send` is used, by type: oxlint's no-deprecated over a copy of the source in which `send` is marked so. It
 * sees calls, destructuring and `["send"]` on anything of type Provider. It does not see `send` on a class that implements
 * Provider, nor reflection: the test below that reads the text keeps both out of every room but `bundles`.
 */
const findSenders = async (): Promise<string[]> => {
  const copy = mkdtempSync(join(tmpdir(), "bailiwick-rooms-"));
  try {
    cpSync(join(ROOT, "host", "src"), join(copy, "src"), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    const provider = join(copy, "src", "kernel", "provider.ts");
    const marked = readFileSync(provider, "utf8").replace(
      /^ {2}send\(/m,
      "  /** @deprecated only call/upstream */\n  send(",
    );
    writeFileSync(provider, marked);
    writeFileSync(join(copy, "src", "kernel", "planted.ts"), PLANTED);
    writeFileSync(
      join(copy, "tsconfig.json"),
      JSON.stringify({ extends: join(ROOT, "tsconfig.base.json"), include: ["src"] }),
    );
    writeFileSync(join(copy, ".oxlintrc.json"), JSON.stringify(SENDER_LINT));
    return await lint(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
};

const SENDER_LINT = {
  options: { typeAware: true },
  plugins: ["typescript"],
  categories: { correctness: "off" },
  rules: { "typescript/no-deprecated": "error" },
};
const PLANTED = `import type { Provider } from "./provider.ts";
export const call = (provider: Provider, request: never): unknown => provider.send(request);
export const take = ({ send }: Provider): unknown => send;
export const index = (provider: Provider): unknown => provider["send"];
`;

/** The files under `src` that oxlint names, each as often as it is named. oxlint ends with 1 when it names any. */
const lint = async (folder: string): Promise<string[]> => {
  const stdout = await new Promise<string>((resolve) => {
    const oxlint = join(ROOT, "node_modules", ".bin", "oxlint");
    execFile(oxlint, ["-c", ".oxlintrc.json", "--format=json", "src"], { cwd: folder }, (_error, text) =>
      resolve(text),
    );
  });
  const report = JSON.parse(stdout) as { diagnostics: { filename: string; message: string }[] };
  return report.diagnostics
    .filter(({ message }) => message.startsWith("`send` is deprecated"))
    .map(({ filename }) => filename)
    .toSorted();
};

describe("only call/upstream invokes a provider", () => {
  it("by type: nothing else uses Provider.send, and a planted use is found", { timeout: 60_000 }, async () => {
    const found = (await findSenders()).filter((path) => !isTest(path));
    expect(found.filter((path) => path === "src/kernel/planted.ts")).toHaveLength(3);
    expect(found).toContain("src/call/upstream/upstream.ts");
    const senders = ["src/call/upstream/task-send.ts", "src/call/upstream/upstream.ts"];
    expect(new Set(found)).toEqual(new Set([...senders, "src/kernel/planted.ts"]));
  });

  it("by text: no room but bundles, which talks to its own connections, so much as names a send", () => {
    const naming = files
      .filter(({ path }) => path.startsWith("host/src/") && !isTest(path))
      .filter(
        ({ path }) => !/^host\/src\/(bundles|call\/upstream)\//.test(path) && path !== "host/src/kernel/provider.ts",
      )
      .filter(({ text }) => /\.send\b|["'`]send["'`]|\{\s*send\b/.test(withoutComments(text)))
      .map(({ path }) => path);
    expect(naming).toEqual([]);
  });
});

describe("the rooms check itself", () => {
  const edgesOf = (path: string, text: string) => readEdges([{ path: `host/src/${path}`, text }]);

  it.each([
    ["call/policy/x.ts", 'import { a } from "../input/a.ts";', "call/policy may not import call/input"],
    ["transport/x.ts", 'export * from "../bundles/a.ts";', "transport may not import bundles"],
    ["transport/x.ts", 'const a = await import("../call/handle-call.ts");', "transport may not import call"],
    ["kernel/x.ts", 'import type { A } from "../assembly/host.ts";', "kernel may not import assembly"],
    ["cli/x.ts", 'import {\n  a,\n  b,\n} from "../storage/a.ts";', "cli may not import storage"],
    ["assembly/x.ts", 'import "../cli/main.ts";', "assembly may not import cli"],
    [
      "storage/x.ts",
      'new Worker(new URL("../kernel/../observe/w.ts", import.meta.url));',
      "storage may not import observe",
    ],
    ["../../contract/src/x.ts", 'import "../../host/src/kernel/a.ts";', "contract may not import kernel"],
    ["storage/x.ts", 'let a: import("../bundles/a.ts").A;', "storage may not import bundles"],
  ])("%s: %s is refused", (path, text, reason) => {
    const [found] = findForbidden(readEdges([{ path: join("host/src", path), text }]));
    expect(found).toContain(reason);
  });

  it("imports that keep to the walls pass, and comments are no imports", () => {
    const allowed = [
      ...edgesOf("call/handle-call.ts", 'import { a } from "./policy/policy.ts"; import "../kernel/call.ts";'),
      ...edgesOf("assembly/create-host.ts", 'import "../bundles/a.ts"; import "../call/surface/registry.ts";'),
      ...edgesOf("cli/main.ts", 'import "../assembly/host.ts"; import "../kernel/refusal.ts";'),
      ...edgesOf("bundles/legs/a.ts", 'import "../connection.ts"; import "@bailiwick/contract"; import "undici";'),
      ...edgesOf("bundles/b.ts", '// import "../storage/a.ts"\n/* from "../storage/a.ts" */ const url = "http://x";'),
    ];
    expect(findForbidden(allowed)).toEqual([]);
  });

  it("names a circle by its whole way round", () => {
    const circle = [
      ...edgesOf("a/one.ts", 'import "./two.ts";'),
      ...edgesOf("a/two.ts", 'import "./three.ts";'),
      ...edgesOf("a/three.ts", 'import "./two.ts";'),
    ];
    expect(findCycle(circle)).toBe("host/src/a/two.ts → host/src/a/three.ts → host/src/a/two.ts");
  });

  it.each(["await import(name)", "import(`./${name}.ts`)", "createRequire(import.meta.url)(name); require(name)"])(
    "%s is refused, since no one can read where it leads",
    (text) => {
      expect(findComputedImports([{ path: "x.ts", text }])).toHaveLength(1);
    },
  );
});
