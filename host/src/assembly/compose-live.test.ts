/** What changes is heard and seen by those who may see it: subscriptions of both eras, lists, and the walls between workspaces. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { plugin } from "../compose/plugins/plugins-for-tests.ts";
import { modern, openSession } from "../transport/client-for-tests.ts";
import { openStream, type OpenStream } from "../transport/stream-for-tests.ts";
import { configs, openView, saveConfigs, UNASKED, type ComposeView, type Json } from "./compose-view-for-tests.ts";
import { makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const PATIENT = { timeout: 15_000, interval: 20 };
const WATCHED = ["capabilities://generators", "capabilities://server", "content://one"];
const UPDATED = "notifications/resources/updated";
const LIST_CHANGED = "notifications/resources/list_changed";
const ONE = configs.content("one", { type: "template_fill", template: "One." });

const put = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

const start = async (): Promise<{ place: Place; host: WholeHost; view: ComposeView }> => {
  const place = makePlace();
  place.configure(UNASKED);
  // There before, so that it is the file in it that is noticed.
  mkdirSync(join(place.workDir, "plugins/generators"), { recursive: true });
  const lab = { members: ["person:ann"], noDefaultBundles: true };
  put(join(place.workDir, "workspaces/ws_lab/workspace.json"), JSON.stringify(lab));
  const host = await place.start();
  return { place, host, view: await openView(host) };
};

interface Hearing {
  /** How often it was told of this. */
  readonly updates: (uri: string) => number;
  readonly lists: () => number;
}

const hearingOf = (stream: OpenStream): Hearing => {
  const { events } = stream;
  onTestFinished(() => stream.drop());
  const count = (is: (message: Json) => boolean): number =>
    events.filter(({ message }) => message !== null && is(message as Json)).length;
  return {
    updates: (uri) => count(({ method, params }) => method === UPDATED && params.uri === uri),
    lists: () => count(({ method }) => method === LIST_CHANGED),
  };
};

const hearLegacy = async ({ origin }: WholeHost, key: string, path: string): Promise<Hearing> => {
  const session = await openSession(origin, "2025-11-25", path, key);
  await session.post({ jsonrpc: "2.0", method: "notifications/initialized" });
  const stream = openStream(origin, {
    method: "GET",
    path,
    headers: { ...session.headers, accept: "text/event-stream" },
  });
  expect(await stream.status).toBe(200);
  for (const uri of WATCHED) expect((await session.call("resources/subscribe", { uri })).json.result).toEqual({});
  return hearingOf(stream);
};

const hearModern = async ({ origin }: WholeHost, key: string, path: string): Promise<Hearing> => {
  const notifications = { resourceSubscriptions: WATCHED, resourcesListChanged: true };
  const auth = { authorization: `Bearer ${key}` };
  const { headers = {}, body } = modern("subscriptions/listen", { notifications }, auth);
  const stream = openStream(origin, { path, headers, body: body as object });
  const { message } = await stream.until(({ method }) => method === "notifications/subscriptions/acknowledged");
  expect(message.params.notifications).toEqual(notifications);
  return hearingOf(stream);
};

const OWN = "/mcp/providers/compose";
const LISTENERS = [
  ["a legacy session", hearLegacy, "/mcp"],
  ["a legacy session of the provider", hearLegacy, OWN],
  ["a modern listener", hearModern, "/mcp"],
  ["a modern listener of the provider", hearModern, OWN],
] as const;

/** Waits until it was told once more of each of these after `change`. */
const toldAfter = async (told: readonly (() => number)[], change: () => unknown): Promise<void> => {
  const before = told.map((count) => count());
  await change();
  await vi.waitFor(() => told.forEach((count, at) => expect(count()).toBeGreaterThan(before[at]!)), PATIENT);
};

describe.each(LISTENERS)("%s", (_, hear, path) => {
  it("hears of generators, the server and a text when they are others, and of the list of resources", async () => {
    const { place, host, view } = await start();
    const heard = await hear(host, host.key, path);
    const [generators, server, text] = WATCHED.map((uri) => () => heard.updates(uri));
    const file = join(place.workDir, "plugins/generators/mine.generator.mjs");
    const ofPlugins = [generators!, server!, heard.lists];
    await toldAfter(ofPlugins, () => put(file, plugin("mine", 'return "1"')));
    expect((await view.read("capabilities://generators"))["metadata"]).toMatchObject({ plugin_count: 1 });
    await toldAfter([generators!], () => put(file, plugin("mine", 'return "2"').replace("1.0.0", "2.0.0")));
    await toldAfter(ofPlugins, () => rmSync(file));
    await toldAfter([heard.lists], () => saveConfigs(view, ONE));
    expect(text!()).toBe(0);
    const make = (): Promise<Json> => view.call("compose__generate_content", { content_config_id: "one" });
    await toldAfter([text!, heard.lists], make);
    expect(await make()).toMatchObject({ status: "skipped" });
    expect(text!()).toBe(1);
    await toldAfter([text!, heard.lists], () => view.call("compose__delete_content", { content_id: "one" }));
  });
});

const listedOf = async (view: ComposeView): Promise<readonly string[]> =>
  (await view.list("resources/list", "resources")).map(({ uri }) => uri as string);

it("a config that somebody puts there or takes away by hand is in the lists, or is not, to who lists some seconds later", async () => {
  const { place, view } = await start();
  const file = join(place.workDir, "workspaces/ws_default/project/configs/content/one/one-content.json");
  const isListed = async (): Promise<boolean> => (await listedOf(view)).includes("config://content/one");
  expect(await isListed()).toBe(false);
  put(file, JSON.stringify(ONE));
  await vi.waitFor(async () => expect(await isListed()).toBe(true), PATIENT);
  rmSync(dirname(file), { recursive: true });
  await vi.waitFor(async () => expect(await isListed()).toBe(false), PATIENT);
}, 40_000);

it("two workspaces see nothing of each other but the plug-ins of all, and nobody hears of the other's", async () => {
  const { place, host, view } = await start();
  const { secret: ann } = await host.keys.create({ name: "ann", as: "person:ann", workspace: "ws_lab" });
  const lab = await openView(host, { key: ann });
  const [here, there] = [await hearModern(host, host.key, "/mcp"), await hearModern(host, ann, "/mcp")];
  await saveConfigs(view, ONE);
  await view.call("compose__generate_content", { content_config_id: "one" });
  await saveConfigs(lab, configs.content("two", { type: "template_fill", template: "Two." }));
  await lab.call("compose__generate_content", { content_config_id: "two" });
  put(join(place.workDir, "workspaces/ws_default/plugins/generators/mine.generator.mjs"), plugin("mine", 'return "1"'));
  put(join(place.workDir, "workspaces/ws_lab/plugins/generators/theirs.generator.mjs"), plugin("theirs", 'return "2"'));
  put(join(place.workDir, "plugins/generators/ours.generator.mjs"), plugin("ours", 'return "3"'));
  const seenBy = async (each: ComposeView): Promise<object> => {
    const { generators, metadata } = await each.read("capabilities://generators");
    const plugins = Object.values(generators as Json).filter(({ source }) => source === "plugin") as Json[];
    const { generator_count } = await each.read("capabilities://server");
    expect([metadata.plugin_count, generator_count]).toEqual([plugins.length, 5 + plugins.length]);
    return {
      plugins: plugins.map(({ type }) => type as string).toSorted(),
      configs: (await each.read("config://content/"))["items"].map(({ id }: Json) => id as string),
      contents: (await each.read("content://"))["items"].map(({ id }: Json) => id as string),
      listed: (await listedOf(each)).filter((uri) => /(one|two|mine|theirs|ours)$/.test(uri)).toSorted(),
    };
  };
  const expected = (id: string, own: string): object => ({
    plugins: ["ours", own].toSorted(),
    configs: [id],
    contents: [id],
    listed: [
      `config://content/${id}`,
      `content://${id}`,
      ...["ours", own].map((type) => `generator://${type}`),
    ].toSorted(),
  });
  await vi.waitFor(async () => expect(await seenBy(view)).toEqual(expected("one", "mine")), PATIENT);
  await vi.waitFor(async () => expect(await seenBy(lab)).toEqual(expected("two", "theirs")), PATIENT);
  for (const [each, id, type] of [
    [view, "two", "theirs"],
    [lab, "one", "mine"],
  ] as const) {
    const refusal = { error: { code: -32002, data: { kind: "resource_not_found" } } };
    for (const uri of [`config://content/${id}`, `content://${id}`, `generator://${type}`]) {
      const said = await each.ask("resources/read", { uri });
      expect(said).toMatchObject(refusal);
      const { uri: _, ...others } = said["error"].data as Json;
      expect(JSON.stringify(others["known"])).not.toMatch(new RegExp(`\\b(${id}|${type})\\b`));
    }
    const told = await each.call("compose__generate_content", { content_config_id: id });
    expect(told).toMatchObject({ error: { code: "config_not_found" } });
    expect(await each.call("compose__query_ephemeral_storage", {})).toMatchObject({ total: 1 });
  }
  // Of its own text each heard, and the other did not: one of that name is in one of the two only.
  await vi.waitFor(() => expect(here.updates("content://one")).toBe(1), PATIENT);
  expect(there.updates("content://one")).toBe(0);
});
