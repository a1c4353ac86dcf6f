import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { ProviderRequest } from "../kernel/provider.ts";
import { rawMembers } from "../kernel/raw-json.ts";
import { callOf, factsOf, openPackage, type OpenedPackage } from "./package-scripts-for-tests.ts";

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await sleep(10);
};

/** The structured part of a result. */
const said = async ({ provider }: OpenedPackage, request: ProviderRequest): Promise<Record<string, unknown>> => {
  const answer = await provider.send(request);
  if (answer.kind !== "result") throw new Error(answer.json);
  return JSON.parse(answer.json) as Record<string, unknown>;
};

/** Of a call that is refused while the test goes on. */
const refusalOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (no: unknown) => no,
  );

const linesOf = (file: string): string[] => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);

describe("the script of a tool", () => {
  const ECHO = {
    sh: "cat",
    mjs: "import { text } from 'node:stream/consumers'; console.log(await text(process.stdin));",
    cjs: "process.stdin.pipe(process.stdout);",
    ts: "const tool: string = process.argv[2] ?? ''; console.log(JSON.stringify({ tool }));",
    "": '#!/bin/sh\nprintf \'"%s"\' "$1"\n',
  } as const;

  test("is given the call as one document: the arguments as they came, and about what it is", async () => {
    const kit = openPackage({ act: { text: ECHO.sh } });
    const facts = factsOf(["usd"], "/projects/hero");
    const request = callOf("act", '{"n":1.000, "big":12345678901234567890,"é":"\\u00e9"}', { facts: () => facts });
    const { content, structuredContent } = await said(kit, request);
    expect(structuredContent).toMatchObject({
      tool: "act",
      _workspace_roots: null,
      context: {
        invocation_id: "inv_1",
        correlation_id: "cor_1",
        workspace: "ws_default",
        principal: "person:ann",
        deadline: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    });
    expect((content as { text: string }[])[0]?.text).toContain(
      '"arguments":{"n":1.000, "big":12345678901234567890,"é":"\\u00e9"},"_workspace_roots":null',
    );
  });

  test("is given the roots when its tool works on files, and an empty object for no arguments", async () => {
    const kit = openPackage({ act: { text: ECHO.sh } });
    const facts = factsOf(["filesystem.read"], "/projects/hero");
    const request = callOf("act", "{}", { facts: () => facts, params: rawMembers('"name":"act"') });
    expect(await said(kit, request)).toMatchObject({
      structuredContent: {
        arguments: {},
        _workspace_roots: {
          profile: "strict",
          roots: [{ name: "project", uri: "file:///projects/hero", path: "/projects/hero" }],
        },
      },
    });
  });

  test.each([
    ["mjs", { tool: "act" }],
    ["cjs", { tool: "act" }],
    ["ts", { tool: "act" }],
    ["", { result: "act" }],
  ] as const)("may be of the kind %j", async (ext, expected) => {
    const kit = openPackage({ act: { text: ECHO[ext], ext } });
    expect(await said(kit, callOf("act"))).toMatchObject({ structuredContent: expected });
    expect(kit.provider.logs()).toEqual([]);
  });

  test("fails with its code and its last words, which stay in the log alone otherwise", async () => {
    const kit = openPackage({
      bad: { text: "echo first >&2; echo '{}'; echo 'no such scene' >&2; exit 3" },
      good: { text: "echo aside >&2; echo '{}'" },
    });
    expect(await said(kit, callOf("bad"))).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "The script ended with code 3: no such scene" }],
      structuredContent: { error: "exit_code", code: 3, last_line: "no such scene" },
    });
    expect(JSON.stringify(await said(kit, callOf("good")))).not.toContain("aside");
    expect(kit.provider.logs()).toEqual(["first", "no such scene", "aside"]);
  });

  test("that writes more than 10,000,000 bytes has bad output, and one that writes that much has not", async () => {
    const kit = openPackage({
      much: { text: "printf '\"'; head -c 9999998 /dev/zero | tr '\\0' x; printf '\"'" },
      more: { text: "printf '\"'; head -c 9999999 /dev/zero | tr '\\0' x; printf '\"'; sleep 600" },
    });
    expect(await said(kit, callOf("more"))).toMatchObject({
      isError: true,
      structuredContent: { error: "bad_output", output: `"${"x".repeat(1_999)}` },
    });
    expect(await said(kit, callOf("much"))).not.toHaveProperty("isError");
  });

  test("shows in bad output nothing of a variable that it was granted", async () => {
    const env = { PATH: process.env["PATH"], TOKEN: "very-secret" };
    const kit = openPackage({ act: { text: 'echo "my $TOKEN"' } }, { env, grants: () => ["TOKEN"] });
    const result = await said(kit, callOf("act"));
    expect(result).toMatchObject({ structuredContent: { error: "bad_output", output: "my [redacted]\n" } });
    expect(JSON.stringify(result)).not.toContain("very-secret");
  });

  test("keeps the last 200 lines for people", async () => {
    const kit = openPackage({ act: { text: "i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo $i >&2; done; echo 1" } });
    await said(kit, callOf("act"));
    const lines = kit.provider.logs();
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([200, "101", "300"]);
  });
});

describe("a script that must not start", () => {
  const script = { text: "touch begun; echo 1" };

  test("is one of a package that was changed since a person accepted it", async () => {
    let intact = true;
    const { provider, dataDir } = openPackage({ act: script }, { isIntact: () => Promise.resolve(intact) });
    intact = false;
    await expect(provider.send(callOf("act"))).rejects.toMatchObject({
      kind: "definition_changed",
      next: expect.stringContaining("bailiwick skill accept kit"),
    });
    expect(existsSync(join(dataDir, "begun"))).toBe(false);
  });

  test("is one of a tool that has become another by the time its turn comes", async () => {
    const { listing, dataDir, provider } = openPackage(
      { act: script },
      { listed: () => now, isIntact: () => Promise.resolve((now = later) === later) },
    );
    const later = { ...listing, tools: listing.tools.map((tool) => ({ ...tool, definition: "sha256:other" })) };
    let now = listing;
    await expect(provider.send(callOf("act"))).rejects.toMatchObject({ kind: "stale_surface" });
    expect(existsSync(join(dataDir, "begun"))).toBe(false);
  });

  test.each(["link", "folder", "gone", "the package's own folder"])(
    "is one that is not in its package by then: %s",
    async (how) => {
      const { provider, dir, dataDir } = openPackage({ act: script });
      const file = join(dir, "scripts/act.sh");
      const outside = join(dir, "../act.sh");
      renameSync(file, outside);
      if (how === "link") symlinkSync(outside, file);
      if (how === "folder") mkdirSync(file);
      if (how === "the package's own folder") symlinkSync("..", file);
      await expect(provider.send(callOf("act"))).rejects.toMatchObject({
        kind: "upstream_failed",
        details: { reason: "path_outside_package", script: "scripts/act.sh", effect: "none" },
      });
      expect(existsSync(join(dataDir, "begun"))).toBe(false);
    },
  );

  test("is not one that a link in the package leads to", async () => {
    const kit = openPackage({ act: script });
    const file = join(kit.dir, "scripts/act.sh");
    renameSync(file, join(kit.dir, "real.sh"));
    symlinkSync("../real.sh", file);
    expect(await said(kit, callOf("act"))).toMatchObject({ structuredContent: { result: 1 } });
  });

  test.each(["../act.sh", "/bin/true", "a/../../act.sh"])("is one outside, whoever named it: %s", async (path) => {
    const { provider, dir } = openPackage({ act: { ...script, script: path } });
    writeFileSync(join(dir, "../act.sh"), script.text);
    await expect(provider.send(callOf("act"))).rejects.toMatchObject({ details: { reason: "path_outside_package" } });
  });

  test("is one whose interpreter is not there, and the refusal says so", async () => {
    const { provider } = openPackage({ act: { text: "1", ext: "py" } }, { env: { PATH: "/nowhere" } });
    await expect(provider.send(callOf("act"))).rejects.toMatchObject({
      kind: "upstream_failed",
      message: "The script of act was not started. The program python3 was not found; install it on the host's PATH.",
    });
  });

  test("is one that nobody listed", async () => {
    const { provider } = openPackage({ act: script });
    await expect(provider.send(callOf("other"))).rejects.toMatchObject({ kind: "upstream_failed" });
    await expect(provider.send({ ...callOf("act"), method: "prompts/get" })).rejects.toMatchObject({
      kind: "upstream_failed",
    });
  });
});

describe("the time of a script", () => {
  const endless = { text: "echo $$ >> begun; sleep 600", timeoutS: 0.3 };

  test("ends with its limit: nothing happened where it only reads, else nobody knows", async () => {
    const { provider } = openPackage({ look: { ...endless, readOnly: true }, act: endless });
    const details = { timeout_ms: 300 };
    await expect(provider.send(callOf("look"))).rejects.toMatchObject({
      kind: "timed_out",
      details: { ...details, effect: "none" },
      retryable: false,
    });
    await expect(provider.send(callOf("act"))).rejects.toMatchObject({
      kind: "timed_out",
      details: { ...details, effect: "unknown" },
    });
  });

  test("is what an operator gives it, where that is less", async () => {
    const annotations = { idempotentHint: true };
    const { provider } = openPackage({ act: { ...endless, timeoutS: 60, annotations } });
    await expect(provider.send(callOf("act", "{}", { limitMs: 200 }))).rejects.toMatchObject({
      details: { timeout_ms: 200 },
      retryable: true,
    });
  });

  test("ends when the caller cancels, and so does waiting for a turn", async () => {
    const { provider, dataDir } = openPackage({ act: { ...endless, timeoutS: 60, affinity: "main" } });
    const first = new AbortController();
    const second = new AbortController();
    const running = refusalOf(provider.send(callOf("act", "{}", { signal: first.signal })));
    await until(() => existsSync(join(dataDir, "begun")));
    const waiting = refusalOf(provider.send(callOf("act", "{}", { signal: second.signal })));
    second.abort();
    expect(await waiting).toMatchObject({ kind: "cancelled", details: { effect: "none" } });
    first.abort();
    expect(await running).toMatchObject({ kind: "cancelled", details: { effect: "unknown" } });
    expect(linesOf(join(dataDir, "begun"))).toHaveLength(1);
  });

  test("ends when its package is closed, before that is done", async () => {
    const { provider, dataDir } = openPackage({ act: { ...endless, timeoutS: 60 } });
    const running = refusalOf(provider.send(callOf("act")));
    await until(() => linesOf(join(dataDir, "begun")).length === 1);
    await provider.close();
    expect(existsSync(`/proc/${linesOf(join(dataDir, "begun"))[0]}`)).toBe(false);
    expect(await running).toMatchObject({ kind: "cancelled" });
    await expect(provider.send(callOf("act"))).rejects.toMatchObject({ kind: "not_ready" });
    expect(provider.status().state).toBe("stopped");
  });
});

describe("several calls of one package", () => {
  const step = { text: "echo in >> steps; sleep 0.1; echo out >> steps; echo 1" };

  test("that say main run one after another", async () => {
    const kit = openPackage({ act: { ...step, affinity: "main" } });
    await Promise.all([1, 2, 3].map(() => said(kit, callOf("act"))));
    expect(linesOf(join(kit.dataDir, "steps"))).toEqual(["in", "out", "in", "out", "in", "out"]);
  });

  test("that say nothing run at the same time", async () => {
    const meet = "echo here >> met; while [ $(wc -l < met) -lt 3 ]; do sleep 0.02; done; echo 1";
    const kit = openPackage({ act: { text: meet } });
    const results = await Promise.all([1, 2, 3].map(() => said(kit, callOf("act"))));
    expect(results).toHaveLength(3);
  });
});
