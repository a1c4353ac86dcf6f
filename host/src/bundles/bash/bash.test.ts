import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Principal } from "../../kernel/principal.ts";
import type { Provider, ProviderAnswer } from "../../kernel/provider.ts";
import { rawMembers } from "../../kernel/raw-json.ts";
import {
  isAlive,
  makeWorkDir,
  readLines,
  runBundles,
  toolCall,
  until,
  type TestBundles,
} from "../bundles-for-tests.ts";
import { unconfinable, unlessUnconfinable } from "../sandbox/confined-for-tests.ts";

interface Run extends TestBundles {
  readonly data: string;
  readonly bash: Provider;
}

const as = (provider: Provider, id: string): Provider =>
  provider.of?.({ id, onBehalfOf: null } as Principal) ?? provider;

const runBash = async (entry: object = {}): Promise<Run> => {
  const dir = makeWorkDir();
  const run = await runBundles(dir, { bundles: [{ name: "@nimblebraininc/bash", ...entry }] });
  await until(() => run.provider("bash").status().state === "running");
  return { ...run, data: join(dir, "workspaces/ws_default/data/bash"), bash: as(run.provider("bash"), "person:ann") };
};

interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly timedOut: boolean;
}

const exec = async (bash: Provider, args: object, signal?: AbortSignal): Promise<ProviderAnswer> =>
  bash.send({ ...toolCall("exec", signal), params: rawMembers(`"name":"exec","arguments":${JSON.stringify(args)}`) });

const resultOf = async (bash: Provider, args: object): Promise<Result> => {
  const { json } = await exec(bash, args);
  const { structuredContent, content } = JSON.parse(json) as { structuredContent: Result; content: { text: string }[] };
  expect(JSON.parse(content[0]?.text ?? "")).toEqual(structuredContent);
  return structuredContent;
};

const processes = ({ data }: Run): string[] => readLines(join(data, "pids"));

describe("the built-in bash bundle", () => {
  test("is listed before it ever ran, and has no process until somebody uses it", async () => {
    const run = await runBash();
    const [tool] = run.provider("bash").catalogue().tools;
    expect(tool?.value).toMatchObject({
      name: "exec",
      annotations: { destructiveHint: true, openWorldHint: true, readOnlyHint: false },
      outputSchema: { required: ["stdout", "stderr", "exitCode", "timedOut"] },
    });
    expect(run.bash.catalogue().tools).toHaveLength(1);
    expect(run.bundles.statusOf("bash")).toMatchObject({ state: "running", health: "ok", toolCount: 1 });
    expect(run.events).toEqual([]);
    await resultOf(run.bash, { command: "true" });
    expect(run.events.map(({ type }) => type)).toEqual(["bundle.started"]);
  });

  test("lists with its process exactly what it lists without", async () => {
    const run = await runBash();
    const before = run.provider("bash").catalogue().tools[0]?.definition;
    await resultOf(run.bash, { command: "true" });
    expect(run.bash.catalogue().tools.map(({ definition }) => definition)).toEqual([before]);
  });

  test("has one process for everybody", async () => {
    const run = await runBash();
    const pids = await Promise.all(
      ["person:ann", "person:bob"].map((who) => resultOf(as(run.provider("bash"), who), { command: "echo $PPID" })),
    );
    expect(pids[0]?.stdout).toBe(pids[1]?.stdout);
  });

  test("has one for each where its entry says so, each with a data directory of its own", async () => {
    const run = await runBash({ isolation: "principal" });
    const homes = await Promise.all(
      ["person:ann", "person:bob"].map((who) => resultOf(as(run.provider("bash"), who), { command: "pwd" })),
    );
    expect(new Set(homes.map(({ stdout }) => stdout)).size).toBe(2);
    for (const { stdout } of homes) expect(stdout.startsWith(`${run.data}/`)).toBe(true);
  });

  test("answers what a command wrote and how it ended", async () => {
    const { bash } = await runBash();
    expect(await resultOf(bash, { command: "echo out; echo err >&2; exit 3" })).toEqual({
      stdout: "out\n",
      stderr: "err\n",
      exitCode: 3,
      timedOut: false,
    });
    expect(await resultOf(bash, { command: "kill -TERM $$" })).toMatchObject({ exitCode: 143, timedOut: false });
  });

  test("runs in its data directory, or where it is told", async () => {
    const { bash, data } = await runBash();
    expect(await resultOf(bash, { command: "pwd" })).toMatchObject({ stdout: `${data}\n` });
    mkdirSync(join(data, "sub"));
    expect(await resultOf(bash, { command: "pwd", cwd: "sub" })).toMatchObject({ stdout: `${data}/sub\n` });
    expect(await resultOf(bash, { command: "pwd", cwd: "/usr" })).toMatchObject({ stdout: "/usr\n" });
    expect(await exec(bash, { command: "pwd", cwd: "absent" })).toMatchObject({ isError: true });
  });

  test("cuts each stream at 100 000 characters and reads on to the end", async () => {
    const { bash } = await runBash();
    const { stdout, stderr, exitCode } = await resultOf(bash, {
      command: "head -c 20000000 /dev/zero | tr '\\0' 'é'; yes ok | head -c 300000 >&2; exit 0",
    });
    expect([stdout.length, stderr.length, exitCode]).toEqual([100_000, 100_000, 0]);
  });

  test("ends all that a command started when its time is over", async () => {
    const run = await runBash();
    const command = "sleep 600 & echo $! > pids; sleep 600";
    expect(await resultOf(run.bash, { command, timeoutMs: 300 })).toMatchObject({ exitCode: 137, timedOut: true });
    await until(() => processes(run).every((pid) => !isAlive(pid)));
    expect(processes(run)).toHaveLength(1);
  });

  test("ends what a command leaves running in the background with it", async () => {
    const run = await runBash();
    expect(await resultOf(run.bash, { command: "sleep 600 & echo $! > pids" })).toMatchObject({ exitCode: 0 });
    await until(() => processes(run).every((pid) => !isAlive(pid)));
    expect(processes(run)).toHaveLength(1);
  });

  test("ends a command that nobody wants any more", async () => {
    const run = await runBash();
    const abort = new AbortController();
    const call = exec(run.bash, { command: "echo $$ > pids; sleep 600" }, abort.signal);
    const ended = call.catch((error: unknown) => error);
    await until(() => processes(run).length === 1);
    abort.abort();
    expect(await ended).toMatchObject({ kind: "indeterminate" });
    await until(() => processes(run).every((pid) => !isAlive(pid)));
  });

  test("leaves nothing behind when it is stopped, not even what left its group", async () => {
    const run = await runBash();
    const call = exec(run.bash, { command: "setsid sleep 600 & echo $! > pids; sleep 600" });
    const ended = call.catch((error: unknown) => error);
    await until(() => processes(run).length === 1);
    await run.bundles.stopOne("bash");
    expect(await ended).toMatchObject({ kind: "indeterminate" });
    expect(processes(run).filter(isAlive)).toEqual([]);
    expect(run.bash.status()).toMatchObject({ state: "stopped", next: "Run: bailiwick bundle start bash" });
    await run.bundles.startOne("bash");
    await until(() => run.bash.status().state === "running");
    expect(await resultOf(run.bash, { command: "echo again" })).toMatchObject({ stdout: "again\n" });
  });

  test.each([{}, { command: "" }, { command: 1 }, { command: "x", timeoutMs: 600_001 }, { command: "x", cwd: 1 }])(
    "runs nothing when it is asked for nonsense: %j",
    async (args) => {
      const { bash } = await runBash();
      expect(await exec(bash, args)).toMatchObject({ kind: "result", isError: true });
    },
  );

  test("keeps its name, since rules go by that", async () => {
    const dir = makeWorkDir();
    const { provider } = await runBundles(dir, { bundles: [{ name: "@nimblebraininc/bash", serverName: "shell" }] });
    await until(() => provider("shell").status().state === "refused");
    expect(provider("shell").status()).toMatchObject({ next: 'Take "serverName" out of its entry.' });
    const view = as(provider("shell"), "person:ann");
    await expect(exec(view, { command: `touch ${dir}/ran` })).rejects.toMatchObject({ kind: "not_ready" });
    expect(existsSync(join(dir, "ran"))).toBe(false);
  });

  test.skipIf(unconfinable !== null)(`works in the sandbox too${unlessUnconfinable}`, async () => {
    const { bash, data } = await runBash({ sandbox: { profile: "bwrap", require: true } });
    expect(await resultOf(bash, { command: "pwd; ls /root /home 2>&1 | wc -l" })).toMatchObject({
      stdout: expect.stringContaining(data),
      exitCode: 0,
    });
  });
});
