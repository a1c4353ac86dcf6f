/** What becomes of calls that wait for their turn, and of those whose package goes while they run or wait. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { ScriptNotStarted } from "../kernel/script-not-started.ts";
import { createPackageProvider } from "../skills/packages/run/create-package-provider.ts";
import { taskCaller } from "../call/tasks-for-tests.ts";
import { callOf, openPackage } from "./package-scripts-for-tests.ts";

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await sleep(10);
};

const refusalOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (no: unknown) => no,
  );

describe("a call that waits for its turn", () => {
  const held = "touch begun; while [ ! -e go ]; do sleep 0.02; done; echo 1";

  test("longer than it may take itself is refused, and may come again", async () => {
    const { provider, dataDir } = openPackage({ act: { text: held, affinity: "main" } });
    const first = provider.send(callOf("act"));
    await until(() => existsSync(join(dataDir, "begun")));
    expect(await refusalOf(provider.send(callOf("act", "{}", { limitMs: 50 })))).toMatchObject({
      kind: "not_ready",
      retryable: true,
      retryAfterMs: expect.any(Number),
      details: { error: "waited_too_long", effect: "none" },
    });
    writeFileSync(join(dataDir, "go"), "");
    expect(await first).toMatchObject({ isError: false });
    expect(await provider.send(callOf("act"))).toMatchObject({ isError: false });
  });
});

describe("a package that goes while calls of it run and wait", () => {
  /** It takes its time to end. */
  const slow =
    "trap 'while [ ! -e go ]; do sleep 0.02; done; echo out >> steps; exit 0' TERM; echo in >> steps; while :; do sleep 0.02; done";

  test("is why they end, and nobody cancelled them", async () => {
    const { provider, dataDir } = openPackage({ act: { text: "touch begun; sleep 600", affinity: "main" } });
    const running = refusalOf(provider.send(callOf("act")));
    await until(() => existsSync(join(dataDir, "begun")));
    const waiting = refusalOf(provider.send(callOf("act")));
    await provider.close();
    expect(await running).toMatchObject({
      kind: "cancelled",
      message: "act was ended while it ran, because the host stopped serving the skill package kit.",
      details: { error: "closing", effect: "unknown" },
    });
    expect(await waiting).toMatchObject({ kind: "not_ready", details: { error: "closing" } });
  });

  test("does not count where the caller had given up before", async () => {
    const { provider, dataDir } = openPackage({ act: { text: slow } });
    const caller = new AbortController();
    const running = refusalOf(provider.send(callOf("act", "{}", { signal: caller.signal })));
    await until(() => existsSync(join(dataDir, "steps")));
    caller.abort();
    const closed = provider.close();
    writeFileSync(join(dataDir, "go"), "");
    await closed;
    expect(await running).toMatchObject({ message: "act was cancelled while it ran, and was ended." });
  });

  test("has its tasks failed with the reason", async () => {
    const { provider, dataDir } = openPackage({ act: { text: "touch begun; sleep 600", execution: "async" } });
    const { json } = await provider.send(callOf("act", "{}", { asker: taskCaller() }));
    const { taskId } = JSON.parse(json) as { taskId: string };
    await until(() => existsSync(join(dataDir, "begun")));
    await provider.close();
    const state = await provider.send({ ...callOf(taskId), method: "tasks/get" });
    expect(JSON.parse(state.json)).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("stopped serving the skill package kit") },
    });
  });

  test("and comes back starts no script that says main before the last of the old ones is gone", async () => {
    const tell =
      'if [ -e pid ] && [ -d "/proc/$(cat pid)" ]; then echo both; else echo one; fi >> steps; echo $$ > pid';
    const kit = openPackage({
      act: { text: `${tell}; trap 'sleep 1; exit 0' TERM; sleep 600 & wait`, affinity: "main" },
    });
    const stepsOf = (): string =>
      existsSync(join(kit.dataDir, "pid")) ? readFileSync(join(kit.dataDir, "steps"), "utf8") : "";
    const old = refusalOf(kit.provider.send(callOf("act")));
    await until(() => stepsOf() !== "");
    const closed = kit.provider.close();
    const again = createPackageProvider({
      name: "kit",
      run: kit.run,
      isIntact: () => Promise.resolve(true),
      grants: () => [],
      listed: () => kit.listing,
    });
    onTestFinished(() => again.close());
    const next = refusalOf(again.send(callOf("act")));
    await Promise.all([closed, old]);
    await until(() => stepsOf().length > "one\n".length);
    expect(stepsOf()).toBe("one\none\n");
    await again.close();
    await next;
  });
});

describe("a script that is not started", () => {
  const failing = (fault: Error): Promise<unknown> => {
    const { provider } = openPackage({ act: { text: "echo 1" } }, { run: () => Promise.reject(fault) });
    return refusalOf(provider.send(callOf("act")));
  };

  test("is refused where that was to be expected", async () => {
    expect(await failing(new ScriptNotStarted("There is no python3."))).toMatchObject({
      kind: "upstream_failed",
      message: "The script of act was not started. There is no python3.",
      details: { error: "not_started", effect: "none" },
    });
  });

  test("for a bug of the host is no refusal, and its inside stays inside", async () => {
    const bug = new Error("ENOENT: no such file or directory, realpath '/home/ann/host/runner'");
    expect(await failing(bug)).toBe(bug);
  });
});
