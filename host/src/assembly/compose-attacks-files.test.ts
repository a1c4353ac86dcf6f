/** Configs, outputs, links and repositories that lead out of the root: nothing there is read, written or removed. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { HOSTILE_PATHS } from "../compose/outputs/hostile-paths-for-tests.ts";
import { namesBelow, startAttacked, type Attacked } from "./compose-attacked-for-tests.ts";

vi.setConfig({ testTimeout: 60_000 });

const open = async (settings: object = {}): Promise<Attacked> => {
  const attacked = await startAttacked(settings);
  attacked.content("a", { type: "template_fill", template: "Alpha" });
  attacked.artifact("book", [{ id: "a" }]);
  expect((await attacked.call("generate_content", { content_config_id: "a" })).code).toBe("success");
  return attacked;
};

const linkOut = ({ root, outside }: Attacked): void => {
  symlinkSync(outside, join(root, "out"));
  symlinkSync(join(outside, "secret.txt"), join(root, "out.txt"));
  symlinkSync("../outside/secret.json", join(root, "out.json"));
  symlinkSync("loop", join(root, "loop"));
  symlinkSync("/dev/zero", join(root, "endless"));
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", join(root, "pipe")]);
};

const OUTSIDE = [
  "../secret.txt",
  "../outside/secret.json",
  "../project-beside/secret.txt",
  "a/../../secret.txt",
  "/etc/passwd",
  "file:///etc/passwd",
  "workspace://../secret.txt",
  "workspace://%2e%2e/secret.txt",
  "out/secret.txt",
  "out.txt",
  "out.json",
  "loop",
  "endless",
  "pipe",
  "/dev/zero",
  "/proc/self/environ",
  "~/secret.txt",
  "..\\secret.txt",
  "a\0b",
  "../work/owner.key",
  "../work/evidence.db",
  "../bailiwick.json",
];

test.each(["strict", "permissive"])("no config reads a file outside, in roots that are %s", async (profile) => {
  const attacked = await open({ capabilities: { roots: { profile, list: [{ name: "project", path: "project" }] } } });
  linkOut(attacked);
  for (const path of [...OUTSIDE, join(attacked.outside, "secret.txt"), `file://${attacked.outside}/secret.txt`]) {
    const sources = [{ id: "s", source_type: "external_file", source_locator: path }];
    const optional = [{ ...sources[0], required: false }];
    const generation_config = { context: { s: { source: "file", path } } };
    for (const [pattern, more] of [
      [{}, { inputs: { sources } }],
      [{ generation_config }, {}],
      [{ template: path.replaceAll(/\s/g, ""), type: "jinja2" }, {}],
    ] as const) {
      attacked.content("taker", { type: "template_fill", template: "[{{ s }}]", ...pattern }, more);
      const { code } = await attacked.call("generate_content", { content_config_id: "taker", force: true });
      expect([path, code]).toEqual([path, "generation_failed"]);
    }
    attacked.content("taker", { type: "jinja2", template: "[{{ s }}]" }, { inputs: { sources: optional } });
    const { answer } = await attacked.call("generate_content", { content_config_id: "taker", force: true });
    expect([path, answer.content]).toEqual([path, "[None]"]);
  }
});

test("no artifact is written outside, over the host's own files or through a link", async () => {
  const attacked = await open();
  const { root, outside, call } = attacked;
  linkOut(attacked);
  mkdirSync(join(root, "folder"));
  symlinkSync("folder", join(root, "link-in"));
  writeFileSync(join(root, "file.txt"), "precious");
  const paths = Object.entries(HOSTILE_PATHS).flatMap(([what, some]) =>
    what === "a link or no plain file" ? [] : some,
  );
  const links = ["out/x.md", "out", "out.txt", "loop", "loop/x.md", "endless", "pipe", "link-in/x.md", "file.txt/x.md"];
  const more = [
    `${outside}/x.md`,
    "../work/owner.key",
    "../work/plugins/generators/x.generator.mjs",
    "../bailiwick.json",
  ];
  const before = namesBelow(root);
  for (const output_path of [...paths, ...links, ...more])
    for (const force of [true, false]) {
      const { code } = await call("assemble_artifact", { artifact_config_id: "book", output_path, force });
      expect([output_path.slice(0, 80), code]).toEqual([output_path.slice(0, 80), "invalid_output_path"]);
    }
  for (const file of [...links, ...more, "../x.md", "/tmp/x.md", "configs/x.json", ".git/config"]) {
    attacked.artifact("evil", [{ id: "a" }], {
      outputs: [
        { file: "fine.md", format: "markdown" },
        { file, format: "text" },
      ],
    });
    const { code } = await call("assemble_artifact", { artifact_config_id: "evil", force: true });
    expect([file, code]).toEqual([file, "invalid_output_path"]);
  }
  const after = namesBelow(root).filter((name) => !name.includes("evil"));
  expect(after).toEqual(before);
  expect(existsSync("/etc/bailiwick-was-here")).toBe(false);
});

test("a file that has another name elsewhere is replaced, not written into", async () => {
  const { root, outside, call } = await open();
  linkSync(join(outside, "secret.txt"), join(root, "hard.md"));
  const args = { artifact_config_id: "book", output_path: "hard.md", force: true };
  expect((await call("assemble_artifact", args)).answer.status).toBe("reassembled");
  expect(readFileSync(join(root, "hard.md"), "utf8")).toBe("Alpha");
});

test("folders that become links while the host works lead nowhere", async () => {
  const attacked = await open();
  const { root, outside, call } = attacked;
  attacked.content(
    "reader",
    { type: "template_fill", template: "{{ s }}" },
    {
      inputs: { sources: [{ id: "s", source_type: "external_file", source_locator: "swap/secret.txt" }] },
    },
  );
  const swap = join(root, "swap");
  const stop = new AbortController();
  const swapping = (async () => {
    for (let at = 0; !stop.signal.aborted; at++) {
      // The host makes folders in between.
      try {
        rmSync(swap, { recursive: true, force: true });
        if (at % 2 === 0) symlinkSync(outside, swap);
        else mkdirSync(swap);
      } catch {}
      await setImmediate();
    }
  })();
  const codes = new Set<string>();
  for (let round = 0; round < 60; round++) {
    const made = call("generate_content", { content_config_id: "reader", force: true });
    const put = call("assemble_artifact", { artifact_config_id: "book", output_path: "swap/secret.txt", force: true });
    for (const { code } of await Promise.all([made, put])) codes.add(code);
  }
  stop.abort();
  await swapping;
  const known = new Set(["generation_failed", "invalid_output_path", "write_failed", "success"]);
  expect([...codes].filter((code) => !known.has(code))).toEqual([]);
});

test("configs that lie behind a link are no configs, and nothing is saved through one", async () => {
  const attacked = await open();
  const { root, outside, call } = attacked;
  const text = readFileSync(join(root, "configs/content/a/a-content.json"), "utf8").replaceAll('"a"', '"b"');
  renameSync(join(root, "configs"), join(root, "was"));
  mkdirSync(join(attacked.place.workDir, "elsewhere/content/b"), { recursive: true });
  writeFileSync(join(attacked.place.workDir, "elsewhere/content/b/b-content.json"), text);
  const { answer: draft } = await call("draft_config", { config_type: "content", config_data: JSON.parse(text) });
  for (const target of [outside, join(attacked.place.workDir, "elsewhere"), "/"]) {
    symlinkSync(target, join(root, "configs"));
    expect((await call("generate_content", { content_config_id: "b" })).code).toBe("config_not_found");
    expect((await attacked.read("config://content/b")).error.code).toBe(-32002);
    expect((await call("list_content")).answer.total).toBe(0);
    const saved = await call("save_config", { draft_id: draft.draft_id, config_id: "c", overwrite: true });
    expect(saved.code).toBe("save_failed");
    rmSync(join(root, "configs"));
  }
});

test("stored texts that were made links are not followed", async () => {
  const attacked = await open();
  const store = join(attacked.place.workDir, "workspaces/ws_default/data/compose/ephemeral/a");
  const text = readdirSync(store).find((name) => !name.endsWith(".meta.json")) ?? "";
  rmSync(join(store, text));
  symlinkSync(join(attacked.outside, "secret.txt"), join(store, text));
  for (const [tool, args] of [
    ["generate_content", { content_config_id: "a" }],
    ["query_ephemeral_storage", { content_id: "a", include_content: true }],
    ["validate_content", { content_or_config_id: "a" }],
    ["assemble_artifact", { artifact_config_id: "book", force: true }],
    ["delete_content", { content_id: "a", force: true }],
  ] as const)
    expect((await attacked.call(tool, args)).code).not.toBe("internal_error");
});

const git = (dir: string, ...args: readonly string[]): void =>
  void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: dir, stdio: "ignore" });

test("a repository is read where it is in the root, and nothing in it is run or followed", async () => {
  const attacked = await open();
  const { root, outside, call, write } = attacked;
  git(root, "init", "-q", "-b", "main");
  write("in.txt", "committed");
  symlinkSync("../outside/secret.txt", join(root, "committed-link"));
  git(root, "add", "in.txt", "committed-link");
  git(root, "commit", "-q", "-m", "x");
  const ran = join(attacked.place.workDir, "hook-ran");
  for (const hook of ["post-checkout", "fsmonitor", "reference-transaction", "pre-auto-gc"])
    writeFileSync(join(root, ".git/hooks", hook), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
  writeFileSync(
    join(root, ".git/config"),
    `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch '${ran}'\n\tpager = touch '${ran}'\n\tsshCommand = touch '${ran}'\n` +
      `[filter "x"]\n\tsmudge = touch '${ran}'\n[diff "x"]\n\ttextconv = touch '${ran}'\n[include]\n\tpath = ${outside}/secret.txt\n`,
  );
  const at = async (locator: string): Promise<string> => {
    const sources = [{ id: "s", source_type: "git_reference", source_locator: locator }];
    attacked.content("gitter", { type: "template_fill", template: "{{ s }}" }, { inputs: { sources } });
    const { code, answer } = await call("generate_content", { content_config_id: "gitter", force: true });
    return code === "success" ? (answer.content as string) : code;
  };
  expect(await at("main:in.txt")).toBe("committed");
  const hostile = [
    "--upload-pack=touch x:in.txt",
    "-h:in.txt",
    "main:../outside/secret.txt",
    "main:/etc/passwd",
    "main:committed-link",
    "main:.git/config",
    "main:",
    ":in.txt",
    "HEAD:a\0b",
    "main@{now}:in.txt",
    "main^{/x}:in.txt",
    "../../outside/secret:in.txt",
    "refs/../../secret:in.txt",
    "ext::sh -c touch:in.txt",
    `${"a".repeat(5_000)}:in.txt`,
  ];
  for (const locator of hostile)
    expect([locator.slice(0, 60), await at(locator)]).toEqual([locator.slice(0, 60), "generation_failed"]);
  expect(existsSync(ran)).toBe(false);

  const elsewhere = join(attacked.place.workDir, "repository");
  mkdirSync(elsewhere);
  git(elsewhere, "init", "-q", "-b", "main");
  writeFileSync(join(elsewhere, "in.txt"), "not yours");
  git(elsewhere, "add", "in.txt");
  git(elsewhere, "commit", "-q", "-m", "x");
  for (const way of ["file", "link", "alternates", "ref"]) {
    rmSync(join(root, ".git"), { recursive: true, force: true });
    if (way === "file") writeFileSync(join(root, ".git"), `gitdir: ${elsewhere}/.git\n`);
    else if (way === "link") symlinkSync(join(elsewhere, ".git"), join(root, ".git"));
    else {
      git(root, "init", "-q", "-b", "main");
      const commit = execFileSync("git", ["rev-parse", "main"], { cwd: elsewhere, encoding: "utf8" });
      if (way === "ref") symlinkSync(join(elsewhere, ".git/refs/heads/main"), join(root, ".git/refs/heads/main"));
      else writeFileSync(join(root, ".git/refs/heads/main"), commit);
      mkdirSync(join(root, ".git/objects/info"), { recursive: true });
      writeFileSync(join(root, ".git/objects/info/alternates"), `${elsewhere}/.git/objects\n`);
    }
    expect([way, await at("main:in.txt")]).toEqual([way, "generation_failed"]);
  }
});
