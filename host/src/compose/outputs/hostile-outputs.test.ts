import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rootListOf } from "../../kernel/roots-for-tests.ts";
import { ComposeError } from "../compose-error.ts";
import { meanwhile, openBench, snapshot, type BenchOptions, type TestBench } from "./bench-for-tests.ts";
import { HOSTILE_PATHS } from "./hostile-paths-for-tests.ts";

/** A root with all sorts of things in it, and a folder beside it that nothing may come into. */
const open = async (options: BenchOptions = {}): Promise<TestBench> => {
  const bench = openBench(options);
  const { base, root } = bench;
  await bench.save([{ id: "a" }]);
  await bench.add("a", "Alpha");
  for (const dir of ["outside", "root-beside", "root/.git/hooks", "root/folder", "root/plugins", "root/sub/.git"])
    mkdirSync(join(base, dir), { recursive: true });
  for (const file of ["outside/secret.txt", "root/file.txt"]) writeFileSync(join(base, file), "precious");
  symlinkSync(join(base, "outside"), join(root, "link-out"));
  symlinkSync("../outside/secret.txt", join(root, "link-file"));
  symlinkSync(join(base, "outside/new.txt"), join(root, "link-nowhere"));
  symlinkSync("link-loop", join(root, "link-loop"));
  symlinkSync("folder", join(root, "link-in"));
  symlinkSync("file.txt", join(root, "link-to-file"));
  symlinkSync(".git", join(root, "link-git"));
  symlinkSync("/dev/null", join(root, "link-device"));
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", join(root, "pipe")]);
  return bench;
};

describe("an output", () => {
  it("is refused at more than a hundred places", () => {
    expect(new Set(Object.values(HOSTILE_PATHS).flat()).size).toBeGreaterThan(100);
  });

  it.each(Object.entries(HOSTILE_PATHS))("is never written to %s", async (_what, paths) => {
    const bench = await open();
    const before = snapshot(bench.base);
    for (const output_path of paths)
      for (const force of [true, false]) {
        const no = await bench.refusal({ output_path, force });
        expect(no).toMatchObject({ code: "invalid_output_path", details: { reason: expect.any(String) } });
        expect(`${no.message}${JSON.stringify(no.details)}`).not.toContain(bench.base);
      }
    expect(snapshot(bench.base)).toEqual(before);
  });

  it.each(["../x.md", "/tmp/x.md", "link-out/x.md", ".git/config", "configs/x"])(
    "of the config is no better: %j",
    async (file) => {
      const bench = await open();
      const good = { file: "good.md", format: "markdown" };
      for (const outputs of [[{ file, format: "markdown" }], [good, { file, format: "markdown" }]]) {
        await bench.save([{ id: "a" }], { outputs });
        expect((await bench.refusal({ force: true })).code).toBe("invalid_output_path");
      }
      expect(() => bench.file("good.md")).toThrow("ENOENT");
    },
  );

  it("may go to odd names, and is then there", async () => {
    const bench = await open();
    const odd = [
      ["~/x.md", "~/x.md"],
      ["$HOME/x.md", "$HOME/x.md"],
      ["a?b#c%20d.md", "a?b#c%20d.md"],
      ["-rf", "-rf"],
      ["deep/er/x.md", "deep/er/x.md"],
      ["a/./b//../x.md", "a/x.md"],
      ["workspace://a%20b/x.md", "a b/x.md"],
      ["workspace:///@x/y.md", "@x/y.md"],
      ["my.git/x", "my.git/x"],
      ["folder/plugins/x", "folder/plugins/x"],
      [".gitignore", ".gitignore"],
      ["\u202ecod.md", "\u202ecod.md"],
      ["x".repeat(255), "x".repeat(255)],
    ] as const;
    for (const [path, file] of odd) {
      const answer = await bench.assemble({ output_path: path });
      expect([answer.status, answer.output_path, bench.file(file)]).toEqual(["assembled", file, "Alpha"]);
      expect(await bench.assemble({ output_path: answer.output_path })).toMatchObject({ status: "skipped" });
    }
    expect(existsSync(join(homedir(), "x.md"))).toBe(false);
  });

  it("may be told by an absolute path in a root, and by the name of another root", async () => {
    const bench = await open({
      roots: (base) => {
        mkdirSync(join(base, "second"));
        return rootListOf({ project: join(base, "root"), other: join(base, "second") });
      },
    });
    expect((await bench.assemble({ output_path: join(bench.root, "new/x.md") })).output_path).toBe("new/x.md");
    const { output_path: path } = await bench.assemble({ output_path: join(bench.base, "second/a b.md") });
    expect(path).toBe("workspace://@other/a%20b.md");
    expect((await bench.assemble({ output_path: path })).status).toBe("skipped");
    expect(readFileSync(join(bench.base, "second/a b.md"), "utf8")).toBe("Alpha");
  });

  it("stays out of a closed folder that is a root itself, or that a root is a link to", async () => {
    const bench = await open({
      roots: (base) => {
        symlinkSync("root/plugins", join(base, "alias"));
        return rootListOf({
          project: join(base, "root"),
          inner: join(base, "root/configs"),
          alias: join(base, "alias"),
        });
      },
    });
    for (const output_path of ["workspace://@inner/x.json", "workspace://@alias/x.mjs"])
      expect((await bench.refusal({ output_path })).code).toBe("invalid_output_path");
  });

  it("stays in the roots whatever the profile, and is nowhere without any", async () => {
    const loose = await open({ roots: (base) => rootListOf({ project: join(base, "root") }, "permissive") });
    for (const path of [join(loose.base, "outside/x.md"), "../x.md", "C:\\x.md"])
      expect((await loose.refusal({ output_path: path })).code).toBe("invalid_output_path");
    const none = await open({ roots: () => rootListOf({}) });
    expect((await none.refusal()).message).toContain("capabilities.roots.list");
  });

  it("never touches what another name of the same file has", async () => {
    const bench = await open();
    linkSync(join(bench.base, "outside/secret.txt"), join(bench.root, "hard.txt"));
    expect((await bench.assemble({ output_path: "hard.txt", force: true })).status).toBe("reassembled");
    expect([bench.file("hard.txt"), readFileSync(join(bench.base, "outside/secret.txt"), "utf8")]).toEqual([
      "Alpha",
      "precious",
    ]);
  });

  it("follows no link that was put on the way after it was checked", async () => {
    const bench: TestBench = await open({
      over: meanwhile(() => {
        renameSync(join(bench.root, "folder"), join(bench.root, "was"));
        symlinkSync(join(bench.base, "outside"), join(bench.root, "folder"));
      }),
    });
    expect((await bench.refusal({ output_path: "folder/x.md" })).code).toBe("invalid_output_path");
    expect(Object.keys(snapshot(join(bench.base, "outside")))).toEqual([join(bench.base, "outside/secret.txt")]);
  });

  it("follows no link that comes and goes while it is written", async () => {
    const bench = await open();
    const folder = join(bench.root, "folder");
    const swaps = [() => symlinkSync(join(bench.base, "outside"), folder), () => mkdirSync(folder)];
    const stop = new AbortController();
    const swapping = (async () => {
      for (let at = 0; !stop.signal.aborted; at++) {
        // What is assembled makes folders too.
        try {
          rmSync(folder, { recursive: true, force: true });
          swaps[at % 2]!();
        } catch {}
        await new Promise(setImmediate);
      }
    })();
    const codes = new Set<string>();
    for (let round = 0; round < 40; round++) {
      const ended = await bench
        .assemble({ output_path: "folder/new/secret.txt", force: true })
        .catch((e: unknown) => e);
      codes.add(ended instanceof ComposeError ? ended.code : (ended as { status: string }).status);
    }
    stop.abort();
    await swapping;
    expect(snapshot(join(bench.base, "outside"))).toEqual({ [join(bench.base, "outside/secret.txt")]: "precious" });
    const known = new Set(["assembled", "reassembled", "invalid_output_path", "write_failed"]);
    expect([...codes].filter((code) => !known.has(code))).toEqual([]);
  });

  it("is below the root or refused, whatever is asked for", async () => {
    const bench = await open();
    const outside = snapshot(join(bench.base, "outside"));
    const names = ["..", ".", "a", "b.md", "link-out", "link-file", ".git", "configs", "%2e%2e", "~", "", "folder"];
    const path = fc
      .tuple(
        fc.constantFrom("", "/", "workspace://", "workspace:///", "file://", "\\"),
        fc.array(fc.constantFrom(...names)),
      )
      .map(([start, parts]) => start + parts.join("/"));
    await fc.assert(
      fc.asyncProperty(fc.oneof(path, fc.string({ unit: "binary", maxLength: 40 })), async (output_path) => {
        const ended = await bench.assemble({ output_path, force: true }).catch((error: unknown) => error);
        if (ended instanceof Error) expect(ended).toMatchObject({ code: "invalid_output_path" });
        else expect(new URL((ended as { output_uri: string }).output_uri).pathname).toContain(`${bench.root}/`);
      }),
      { numRuns: 80 },
    );
    expect(snapshot(join(bench.base, "outside"))).toEqual(outside);
    expect(snapshot(join(bench.root, ".git"))).toEqual({ [join(bench.root, ".git/hooks")]: "folder" });
  });
});
