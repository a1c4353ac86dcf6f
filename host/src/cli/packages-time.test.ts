/** How long a script of a package takes, with clients that others wrote: tasks, time limits, cancellation. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makePackagesPlace, openPackagesDoors, type PackagesPlace } from "../assembly/packages-place-for-tests.ts";
import type { WholeHost } from "../assembly/whole-host-for-tests.ts";
import { CLIENTS } from "./mcp-clients-for-tests.ts";
import { taskClient } from "./task-client-for-tests.ts";

const TOOLS = `tools:
  - name: build
    execution: async
    source_file: scripts/build.sh
  - name: look
    read_only: true
    timeout_hint_secs: 1
    source_file: scripts/hang.sh
  - name: change
    timeout_hint_secs: 1
    source_file: scripts/hang.sh
  - name: slow
    source_file: scripts/slow.sh
`;
/** They say who they are, and one that they start says so too. */
const BUILD = `echo $$ >> begun; while [ ! -e go ]; do sleep 0.05; done; echo '{"built":true}'`;
const SLOW = `echo $$ >> begun; sleep 600 & echo $! >> begun; wait`;
const HANG = `trap '' TERM; echo $$ >> begun; (trap '' TERM; sleep 600) & echo $! >> begun; wait; wait`;

const open = async (): Promise<{ readonly place: PackagesPlace; readonly host: WholeHost }> => {
  const place = makePackagesPlace();
  place.put("worker", {
    "tools.yaml": TOOLS,
    "scripts/build.sh": BUILD,
    "scripts/slow.sh": SLOW,
    "scripts/hang.sh": HANG,
  });
  return { place, host: await place.start() };
};

const until = (done: () => boolean): Promise<void> =>
  vi.waitFor(() => expect(done()).toBe(true), { timeout: 20_000, interval: 20 });

const begun = (place: PackagesPlace): readonly string[] => place.left("worker", "begun");
/** What has ended and was not fetched by its parent yet does nothing any more. */
const isAlive = (pid: string): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};
const untilGone = (place: PackagesPlace): Promise<void> => until(() => !begun(place).some(isAlive));
const lastOutcome = (place: PackagesPlace) => place.events().findLast(({ outcome }) => outcome !== null);

describe("a tool that says async", () => {
  it("is a task for a client that knows tasks: begun at once, and completed when the script is through", async () => {
    const { place, host } = await open();
    const client = taskClient(host.origin, host.key);
    const id = await client.begin("worker__build", {});
    await until(() => begun(place).length === 1);
    expect(await client.until(id, () => true)).toMatchObject({ status: "working" });
    writeFileSync(join(place.workDir, "workspaces/ws_default/data/worker/go"), "");
    const task = await client.until(id, (status) => status !== "working");
    expect(task).toMatchObject({ status: "completed", result: { structuredContent: { built: true } } });
    await until(() => lastOutcome(place)?.event_type === "execution_completed");
  });

  it("is an ordinary call for every other client", async () => {
    const { place, host } = await open();
    for (const { connect } of CLIENTS) {
      const client = await connect(`${host.origin}/mcp`, host.key);
      onTestFinished(() => client.close());
      const called = client.call("worker__build", {});
      await until(() => begun(place).length >= 1);
      writeFileSync(join(place.workDir, "workspaces/ws_default/data/worker/go"), "");
      expect((await called).structuredContent).toEqual({ built: true });
    }
  });

  it("is ended, with all that it started, by the client that cancels its task", async () => {
    const { place, host } = await open();
    const client = taskClient(host.origin, host.key);
    const id = await client.begin("worker__build", {});
    await until(() => begun(place).length === 1);
    await client.ask("tasks/cancel", { taskId: id });
    expect(await client.until(id, (status) => status !== "working")).toMatchObject({ status: "cancelled" });
    await untilGone(place);
  });

  it("is ended with the host", async () => {
    const { place, host } = await open();
    await taskClient(host.origin, host.key).begin("worker__build", {});
    await until(() => begun(place).length === 1);
    await host.stop();
    expect(begun(place).filter(isAlive)).toEqual([]);
  });
});

describe("a script that does not end", () => {
  it("is ended at its limit at every door; what it did is none where it only reads, and else unknown", async () => {
    const { place, host } = await open();
    const doors = await openPackagesDoors(host);
    const asked = doors.flatMap((door) => (["look", "change"] as const).map((tool) => ({ door, tool })));
    await Promise.all(
      asked.map(async ({ door, tool }) => {
        const { kind, data } = await door.call(`worker__${tool}`);
        expect(kind).toBe("timed_out");
        const effect = (data["details"] ?? data).effect as unknown;
        expect(effect).toBe(tool === "look" ? "none" : "unknown");
      }),
    );
    expect(begun(place).length).toBeGreaterThan(0);
    await untilGone(place);
    const ends = place.events().filter(({ outcome }) => outcome !== null);
    expect(ends).toHaveLength(asked.length);
    for (const { event_type, error } of ends) {
      expect([event_type, JSON.stringify(error)]).toEqual(["execution_failed", expect.stringContaining('"timeout"')]);
    }
  });

  it.each(CLIENTS)("is ended when $client cancels, with all that it started", async ({ connect }) => {
    const { place, host } = await open();
    const client = await connect(`${host.origin}/mcp`, host.key);
    onTestFinished(() => client.close());
    const ending = new AbortController();
    const called = client.call("worker__slow", {}, { signal: ending.signal });
    const ended = called.then(
      () => "answered",
      () => "cancelled",
    );
    await until(() => begun(place).length === 2);
    ending.abort();
    expect(await ended).toBe("cancelled");
    await untilGone(place);
    await until(() => lastOutcome(place) !== undefined);
    const { event_type, error } = lastOutcome(place)!;
    expect([event_type, JSON.stringify(error)]).toEqual(["execution_failed", expect.stringContaining("cancelled")]);
  });
});
