/** What the host declares, kept in a real file: changed by people and reloads, one after the other. */
import { parseConfig, type Config } from "@bailiwick/contract";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { ApplyOrder } from "../bundles/create-bundles.ts";
import { createEnvironmentBook } from "../call/environment/environment-book.ts";
import { Refusal } from "../kernel/refusal.ts";
import { ConfigFile } from "./config-file.ts";
import { readInForce } from "./in-force.ts";
import { steerCapabilities } from "./steer-capabilities.ts";
import { WorkspaceRoom, type WorkspaceRoomOptions } from "./workspace-room.ts";

const read = (text: string): Config => {
  const { config, errors } = parseConfig(text, { dialect: "bailiwick" });
  if (config === null) throw new Error(JSON.stringify(errors));
  return config;
};

const open = (capabilities: object = { declared: ["usd"] }) => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-declared-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "conf", "bailiwick.json");
  const settle = (next: object): void => {
    mkdirSync(join(dir, "conf"), { recursive: true });
    writeFileSync(path, JSON.stringify({ capabilities: next }));
  };
  settle(capabilities);
  const text = readFileSync(path, "utf8");
  const settings = { config: read(text) };
  const [events, seldom, reports]: [object[], object[], unknown[]] = [[], [], []];
  /** What becomes of the next reload between reading the file and its end. */
  let during = async (_order: ApplyOrder): Promise<void> => {};
  const bundles = {
    apply: async (order: ApplyOrder) => {
      const entries = { added: [], removed: [], changed: [], unchanged: [] };
      if (!(await order.take())) return null;
      try {
        await during(order);
        await order.commit(entries);
      } catch (error) {
        order.undo();
        throw error;
      }
      return entries;
    },
  };
  const room = new WorkspaceRoom({
    id: "ws_default",
    bundles,
    file: new ConfigFile(path, text),
    settings,
    parse: (now: string | null) => ({ config: read(now ?? "{}"), errors: [], warnings: [] }),
    tell: () => {},
    record: async () => {},
    taken: () => steered.taken(),
    skills: { changed: () => {} },
  } as unknown as WorkspaceRoomOptions);
  const book = createEnvironmentBook(settings.config.capabilities);
  const steered = steerCapabilities({
    initial: settings.config.capabilities,
    path: { environment: book, refresh: () => {} },
    events: {
      write: async (_type, _topic, payload) => void events.push(payload) as never,
      note: () => {},
      seldom: (type, by, payload) => void seldom.push({ type, by, ...payload }),
    },
    inForce: readInForce({ entries: () => [] }),
    room: () => room,
    report: (error) => reports.push(error),
  });
  const inFile = (): unknown => JSON.parse(readFileSync(path, "utf8")).capabilities.declared;
  return {
    dir,
    settle,
    room,
    book,
    steered,
    events,
    seldom,
    reports,
    inFile,
    onReload: (act: typeof during) => (during = act),
  };
};

it("a list that was made from another one than there is now changes nothing, and the refusal says what there is", async () => {
  const { steered, events, inFile } = open();
  await steered.declare(["usd", "a"], "person:ann", ["usd"]);
  const stale = steered.declare(["usd", "b"], "person:bob", ["usd"]);
  await expect(stale).rejects.toMatchObject({ kind: "stale_surface", details: { declared: ["usd", "a"] } });
  expect([steered.declared().declared, inFile(), events.length]).toEqual([["usd", "a"], ["usd", "a"], 1]);
  expect(await steered.declare(["b"], "person:bob")).toMatchObject({ before: ["usd", "a"], after: ["b"] });
});

it.each([[["a\nb"]], [[""]], [["x".repeat(257)]], ["usd"]])("%j is not declared", async (declared) => {
  const { steered, events } = open();
  await expect(steered.declare(declared as string[], "person:ann")).rejects.toMatchObject({ kind: "bad_request" });
  expect(events).toEqual([]);
});

it("what could not be written is said to be so, also when it is repeated, until it could", async () => {
  const { dir, steered, events, reports, inFile, settle } = open();
  // A file where the folder should be: nothing can be written there, whoever tries.
  rmSync(join(dir, "conf"), { recursive: true });
  writeFileSync(join(dir, "conf"), "");
  expect(await steered.declare(["a"], "person:ann")).toEqual({ before: ["usd"], after: ["a"], persisted: false });
  expect(await steered.declare(["a"], "person:ann")).toEqual({ before: ["a"], after: ["a"], persisted: false });
  expect(reports).toHaveLength(2);
  rmSync(join(dir, "conf"));
  settle({ declared: ["usd"] });
  expect(await steered.declare(["a"], "person:ann")).toEqual({ before: ["a"], after: ["a"], persisted: true });
  expect([inFile(), events.length]).toEqual([["a"], 1]);
});

it("what was declared while a reload was under way that then failed stays in force", async () => {
  const { room, book, steered, settle, onReload, inFile } = open({ declared: ["usd"], providers: { maya: ["old"] } });
  settle({ declared: ["from file"], providers: { maya: ["new"] } });
  onReload(async () => {
    expect(steered.declared()).toEqual({ declared: ["usd"], providers: { maya: ["old"] } });
    await steered.declare(["usd", "a"], "person:ann", ["usd"]);
    throw new Error("it fails");
  });
  await expect(room.reload()).rejects.toThrow("it fails");
  const kept = { declared: ["usd", "a"], providers: { maya: ["old"] } };
  expect(steered.declared()).toEqual(kept);
  expect(room.config.capabilities).toMatchObject(kept);
  expect(book.declaredFor("maya")).toEqual(["usd", "a", "old"]);
  expect(inFile()).toEqual(["usd", "a"]);
});

it("what was declared while a reload was under way that then went well holds with the rest of the file", async () => {
  const { room, book, steered, settle, onReload, events } = open({ declared: ["usd"] });
  settle({ declared: ["usd"], providers: { maya: ["new"] } });
  onReload(async () => void (await steered.declare(["usd", "a"], "person:ann", ["usd"])));
  await room.reload();
  expect(book.declaredFor("maya")).toEqual(["usd", "a", "new"]);
  expect(events).toEqual([
    { before: ["usd"], after: ["usd", "a"], by: "person:ann" },
    {
      before: ["usd", "a"],
      after: ["usd", "a"],
      providers: { before: {}, after: { maya: ["new"] } },
      by: "configuration",
    },
  ]);
});

it.each([
  ["providers", { maya: ["usd"] }],
  ["require", { "maya__*": ["licence"] }],
  ["env", { maya: ["TOKEN"] }],
  ["groups", { maya: ["extra"] }],
  ["roots", { list: [{ name: "a", path: "/a" }], fromClients: "never" }],
])("a reload that changes %s alone is recorded with both, and one that changes nothing is not", async (key, value) => {
  const { room, settle, events } = open();
  settle({ declared: ["usd"], [key]: value });
  await room.reload();
  const before = read("{}").capabilities[key as "env"];
  const after = room.config.capabilities[key as "env"];
  expect(after).not.toEqual(before);
  const change = { before: ["usd"], after: ["usd"], [key]: { before, after }, by: "configuration" };
  expect(events).toEqual([change]);
  await room.reload();
  expect(events).toEqual([change]);
});

it("who may not change it is written down, seldom for each", () => {
  const { steered, seldom } = open();
  const refusal = new Refusal("permission_missing", { message: "No.", next: "Ask.", details: { missing: ["x"] } });
  steered.turnedAway(refusal, "agent:a");
  expect(seldom).toEqual([
    {
      type: "capabilities_change_refused",
      by: "agent:a",
      refusal: { code: "permission_missing", message: "No.", data: { missing: ["x"] } },
    },
  ]);
});
