/** What becomes of bundles that crash, are stopped and come back, as their users and those who follow them see it. */
import { describe, expect, it } from "vitest";
import { isAlive, until } from "../bundles/bundles-for-tests.ts";
import { makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const begin = async (config: object = {}): Promise<{ place: Place; host: WholeHost }> => {
  const place = makePlace();
  place.bundle("one");
  place.bundle("two");
  place.configure({ bundles: [{ path: "one" }, { path: "two" }], ...config });
  const host = await place.start();
  await Promise.all([host.until("one", "running"), host.until("two", "running")]);
  return { place, host };
};

const toolsOf = (host: WholeHost): string[] => host.tools().map(({ name }) => name);

describe("a bundle whose process is killed", () => {
  it("is back within two seconds, serves calls that came meanwhile, and its tools never left the list", async () => {
    const { place, host } = await begin();
    const before = toolsOf(host);
    expect(before).toContain("one__echo");
    const lists: string[][] = [];
    host.onProviderChange(() => lists.push(toolsOf(host)));
    const killedAt = Date.now();
    process.kill(place.marks("one")[0] as number, "SIGKILL");
    await until(() => lists.push(toolsOf(host)) > 0 && host.stateOf("one") !== "running");
    expect(await host.call("one__echo", {})).toMatchObject({ outcome: "success" });
    expect(Date.now() - killedAt).toBeLessThan(2_000);
    expect(host.stateOf("one")).toBe("running");
    expect(place.marks("one")).toHaveLength(2);
    expect(place.marks("two")).toHaveLength(1);
    expect(lists.length).toBeGreaterThan(0);
    for (const list of lists) expect(list).toEqual(before);
  });

  it("one that was installed after boot is watched like the others", async () => {
    const { place, host } = await begin({ bundles: [{ path: "two" }, { path: "one", serverName: "one" }] });
    place.bundle("late");
    await host.bundles.install({ path: "late" });
    process.kill(place.marks("late")[0] as number, "SIGKILL");
    await until(() => place.marks("late").length === 2);
    await host.until("late", "running");
    expect(await host.call("late__echo", {})).toMatchObject({ outcome: "success" });
  });
});

describe("a bundle that crashes again and again", () => {
  it("is dead after five times in a minute, and a start brings it back; everybody hears of it", async () => {
    const { place, host } = await begin({ restart: { delaysMs: [0] } });
    const heard = await host.follow();
    for (let crash = 1; crash <= 5; crash++) {
      await host.until("one", "running");
      expect(await host.call("one__crash", {})).toMatchObject({ outcome: "indeterminate" });
      await until(() => host.stateOf("one") === "dead" || place.marks("one").length === crash + 1);
    }
    await host.until("one", "dead");
    expect(place.marks("one")).toHaveLength(5);
    expect(toolsOf(host)).toContain("one__echo");
    const refused = await host.rest("POST", "/v1/tools/call", { name: "one__echo", arguments: {} });
    expect(refused).toMatchObject({ status: 409, json: { error: "unavailable" } });
    expect(refused.json.remedy).toContain("bailiwick bundle start one");
    await host.bundles.start("one");
    await host.until("one", "running");
    expect(await host.call("one__echo", {})).toMatchObject({ outcome: "success" });

    await until(() => heard.some(({ type }) => type === "bundle.started"));
    const told = heard.filter(({ type }) => type.startsWith("bundle."));
    const crashed = (restartAttempt: number): object => ({
      type: "bundle.crashed",
      data: { name: "one", restartAttempt },
    });
    const recovered = { type: "bundle.recovered", data: { name: "one" } };
    expect(told).toMatchObject([
      ...[1, 2, 3, 4].flatMap((attempt) => [crashed(attempt), recovered]),
      { type: "bundle.dead", data: { name: "one", message: expect.stringContaining("SIGKILL") as string } },
      { type: "bundle.started", data: { name: "one" } },
    ]);
    for (const { data } of told.slice(0, 8)) expect(Object.keys(data).length).toBeLessThanOrEqual(2);
    await until(() => place.evidence("bundle_dead").length > 0);
    const types = place.evidence().map(({ event_type }) => event_type);
    expect(types.filter((type) => type === "dev.bailiwick.bundle_crashed")).toHaveLength(4);
    expect(types.filter((type) => type === "dev.bailiwick.bundle_dead")).toHaveLength(1);

    // Whoever comes back hears the rest and nothing twice.
    const again = await host.follow(told[7]?.id);
    await until(() => again.filter(({ type }) => type.startsWith("bundle.")).length === 2);
    expect(again.filter(({ type }) => type.startsWith("bundle."))).toEqual(told.slice(8));
  });

  it("one that never came up is dead as well, and the other runs", async () => {
    const place = makePlace();
    place.bundle("one", {}, { STEERED_EXIT: "no" });
    place.bundle("two");
    place.configure({ bundles: [{ path: "one" }, { path: "two" }], restart: { delaysMs: [0] } });
    const host = await place.start();
    await host.until("one", "dead");
    await host.until("two", "running");
    await until(() => place.evidence("bundle_dead").length > 0);
    const ofOne = place.evidence().filter(({ payload }) => payload?.["bundle"] === "one");
    expect(ofOne.map(({ event_type }) => event_type.replace("dev.bailiwick.", ""))).toEqual([
      ...Array<string>(4).fill("bundle_crashed"),
      "bundle_dead",
    ]);
  });
});

describe("a bundle that a person stopped", () => {
  it("has no process, refuses at once with the command that starts it, and stays stopped over a boot", async () => {
    const { place, host } = await begin();
    await host.bundles.stop("one");
    expect(place.marks("one").filter(isAlive)).toEqual([]);
    const refused = await host.rest("POST", "/v1/tools/call", { name: "one__echo", arguments: {} });
    expect(refused).toMatchObject({ status: 409, json: { error: "unavailable" } });
    expect(refused.json.remedy).toContain("bailiwick bundle start one");
    await host.bundles.reload();
    expect(host.stateOf("one")).toBe("stopped");
    await host.stop();
    const again = await place.start();
    await again.until("two", "running");
    expect(again.stateOf("one")).toBe("stopped");
    expect(toolsOf(again)).toContain("one__echo");
    expect(place.marks("one")).toHaveLength(1);
    await again.bundles.start("one");
    await again.until("one", "running");
    await again.stop();
    const last = await place.start();
    await last.until("one", "running");
  });
});

describe("the health of the host", () => {
  it("says the same whatever becomes of a bundle, and a bundle's own says what it is", async () => {
    const { host } = await begin({ restart: { delaysMs: [0], maxCrashes: 1 } });
    const look = async (): Promise<{ status: string; checks: object; open: object; bundles: object }> => {
      const { json } = await host.rest("GET", "/v1/health");
      const open = (await (await fetch(`${host.origin}/v1/health`)).json()) as object;
      return { status: json.status, checks: json.checks, open, bundles: json.bundles };
    };
    const { bundles: up, ...before } = await look();
    expect(before).toMatchObject({ status: "ok", open: { status: "ok" } });
    await host.call("one__crash", {});
    await host.until("one", "dead");
    await host.bundles.stop("two");
    const { bundles: down, ...after } = await look();
    expect(after).toEqual(before);
    expect(down).toMatchObject({ dead: 1, stopped: 1 });
    expect(up).toMatchObject({ dead: 0, stopped: 0 });
    const apps = (await host.rest("GET", "/v1/apps")).json.apps as { name: string; health: string; status: string }[];
    expect(apps.map(({ name, health, status }) => [name, health, status])).toEqual([
      ["one", "down", "dead"],
      ["two", "down", "stopped"],
    ]);
  });
});
