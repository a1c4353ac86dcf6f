import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { unconfinable, unlessUnconfinable } from "../sandbox/confined-for-tests.ts";
import type { RunScriptOptions } from "./run-script-options.ts";
import { openPlace, sleepers, type ScriptPlace } from "./scripts-for-tests.ts";

const BWRAP = { profile: "bwrap", require: true, network: "host", read: [], write: [] } as const;

/** The home is the folder around package and work directory, with a secret in it. */
const confine = (more: Partial<RunScriptOptions> = {}): ScriptPlace => {
  const place = openPlace({ sandbox: () => BWRAP, ...more });
  writeFileSync(join(place.dir, "secret"), "of the home");
  writeFileSync(join(place.dir, "work/secret"), "of the host");
  mkdirSync(join(place.dir, "hero"));
  writeFileSync(join(place.dir, "hero/scene"), "a scene");
  return place;
};

const textOf = async (run: Promise<{ readonly stdout: Buffer }>): Promise<string> => (await run).stdout.toString();

describe.skipIf(unconfinable !== null)(`a script in the sandbox bwrap${unlessUnconfinable}`, () => {
  test("reads its package and its data, and neither the home nor the work directory", async () => {
    const { run, dir, dataDir } = confine();
    const script = `pwd; cat ${dir}/secret ${dir}/work/secret ${dir}/hero/scene; echo x > note; echo x > ${dir}/package/note`;
    const { stdout, code } = await run(script);
    expect(stdout.toString()).toBe(`${dataDir}\n`);
    expect(code).not.toBe(0);
    expect(readFileSync(join(dataDir, "note"), "utf8")).toBe("x\n");
    expect(existsSync(join(dir, "package/note"))).toBe(false);
  });

  test("works in the roots of its call: one that is read-only stays as it is", async () => {
    const { run, dir } = confine();
    const path = join(dir, "hero");
    const script = `cat ${path}/scene; echo new > ${path}/made`;
    expect(await textOf(run(script, { roots: [{ path, writable: false }] }))).toBe("a scene");
    expect(existsSync(join(path, "made"))).toBe(false);
    expect(await textOf(run(script, { roots: [{ path, writable: true }] }))).toBe("a scene");
    expect(readFileSync(join(path, "made"), "utf8")).toBe("new\n");
  });

  test("finds a root under the name that it is told, where links lead to it", async () => {
    const { run, dir } = confine();
    mkdirSync(join(dir, "disk/projects"), { recursive: true });
    mkdirSync(join(dir, "names"));
    symlinkSync(join(dir, "disk/projects"), join(dir, "names/projects"));
    symlinkSync("../../hero", join(dir, "disk/projects/hero"));
    const path = join(dir, "names/projects/hero");
    const roots = [{ path, writable: true }];
    const script = `cat ${path}/scene; echo new > ${path}/made; ls -A ${dir}/names/projects; touch ${dir}/names/mine`;
    expect(await textOf(run(script, { roots }))).toBe("a scenehero\n");
    expect(readFileSync(join(dir, "hero/made"), "utf8")).toBe("new\n");
    expect(existsSync(join(dir, "names/mine"))).toBe(false);
    // Shown with another root, the link is there already.
    const both = [...roots, { path: join(dir, "names"), writable: false }];
    expect(await textOf(run(`cat ${path}/scene ${dir}/secret`, { roots: both }))).toBe("a scene");
  });

  test("sees of a root around everything neither the host's state nor its configuration", async () => {
    const configFiles: string[] = [];
    const { run, dir } = confine({ configFiles });
    mkdirSync(join(dir, "etc"));
    configFiles.push(join(dir, "etc/bailiwick.json"));
    writeFileSync(join(dir, "etc/bailiwick.json"), "a token");
    const script = `cat ${dir}/hero/scene ${dir}/work/secret ${dir}/etc/bailiwick.json; ls -A ${dir}/work ${dir}/etc`;
    const out = await textOf(run(script, { roots: [{ path: dir, writable: true }] }));
    expect(out).toBe(`a scene${dir}/etc:\n\n${dir}/work:\nworkspaces\n`);
  });

  test("is not started where a root is the folder of the configuration, and the log says so", async () => {
    const folder = openPlace().dir;
    const file = join(folder, "bailiwick.json");
    writeFileSync(file, "a token");
    const { run, lines } = confine({ configFiles: [file] });
    const running = run("echo started", { roots: [{ path: folder, writable: true }] });
    await expect(running).rejects.toThrow("cannot be confined; its log says why: bailiwick skill info kit");
    expect(lines.join("\n")).toContain("capabilities.roots.list");
  });

  test("leaves out a root that is not there", async () => {
    const { run, dir } = confine();
    expect(await textOf(run("echo ok", { roots: [{ path: join(dir, "absent"), writable: true }] }))).toBe("ok\n");
  });

  test("ends with all that it started", async () => {
    const { run } = confine();
    const { seconds, running } = sleepers();
    const script = `trap '' TERM; setsid sleep ${seconds} & sleep ${seconds}; sleep ${seconds}`;
    expect(await run(script, { limitMs: 500 })).toMatchObject({ how: "timed_out" });
    expect(running()).toBe(0);
  });
});

describe("where nothing can be confined", () => {
  const env = { PATH: "/nowhere" };

  test("a script that must be is not started, and it is said what to do", async () => {
    const { run, dataDir } = openPlace({ env, sandbox: () => BWRAP });
    await expect(run("touch begun")).rejects.toThrow(/may only run in the sandbox "bwrap".*Install bubblewrap, or set/);
    expect(existsSync(join(dataDir, "begun"))).toBe(false);
  });

  test("any other is, and the log says that it ran without", async () => {
    const { run, lines } = openPlace({ env, sandbox: () => ({ ...BWRAP, require: false }) });
    expect((await run("echo ok")).stdout.toString()).toBe("ok\n");
    expect(lines).toEqual([expect.stringContaining("ran without its sandbox; install bubblewrap")]);
  });
});
