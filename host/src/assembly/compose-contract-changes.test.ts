/**
 * Whatever comes, changes and goes, in whatever order: bundles, plug-ins, configs, texts and what policy switches off. After
 * each step everything that can be read and listed is one, and says what is so.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { plugin } from "../compose/plugins/plugins-for-tests.ts";
import {
  configs,
  differencesAt,
  openView,
  saveConfigs,
  toolsOf,
  UNASKED,
  type ComposeView,
  type Json,
} from "./compose-view-for-tests.ts";
import { makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const STEPS = 20;
/** What is listed and not always there, versions aside. */
const OF_NAMES = /^(config:\/\/\w+\/|content:\/\/|generator:\/\/(?!decision_tree))[\w-]+$/;
const SEED = 5;
const BUILT_IN = ["bdd_scenario_assembly", "code_generation", "demonstration", "jinja2", "template_fill"];
/** What each tool's absence takes from the features. */
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  compose__preview_generation: ["content_generation", "generator_plugins"],
  compose__assemble_artifact: ["artifact_assembly"],
  compose__test_config: ["config_lifecycle"],
  compose__batch_generate_content: ["batch_operations"],
  compose__cleanup_ephemeral: ["ephemeral_storage"],
};

/** Mulberry32: the same numbers for the same seed. */
const numbers = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
};

interface World {
  readonly place: Place;
  readonly host: WholeHost;
  readonly all: ComposeView;
  readonly own: ComposeView;
  readonly few: ComposeView;
  /** What there has to be. */
  readonly bundles: Set<string>;
  readonly plugins: Map<string, { readonly version: string } | "rejected">;
  readonly off: Set<string>;
  readonly configs: Set<string>;
  readonly contents: Set<string>;
}

/** Null: there is nothing to do it with. */
type Step = (world: World, pick: <T>(from: readonly T[]) => T) => Promise<string | null>;

const pluginFile = ({ place }: World, type: string): string =>
  join(place.workDir, "plugins/generators", `${type}.generator.mjs`);

const toggle = <T>(set: Set<T>, one: T): boolean => (set.delete(one) ? false : set.add(one).has(one));

const STEPS_THERE_ARE: readonly Step[] = [
  async ({ host, place, bundles }, pick) => {
    const name = pick(["one", "two"]);
    if (!toggle(bundles, name)) {
      await host.bundles.uninstall(name);
      return `uninstall ${name}`;
    }
    await host.bundles.install({ path: place.bundle(name, {}, { STEERED_TOOLS: pick(["", "more", "more,most"]) }) });
    await host.until(name, "running");
    return `install ${name}`;
  },
  async ({ host, bundles }, pick) => {
    if (bundles.size === 0) return null;
    const name = pick([...bundles]);
    await host.until(name, "running");
    await host.call(`${name}__crash`, {});
    return `crash ${name}`;
  },
  (world, pick) => {
    const type = pick(["alpha", "beta", "gamma"]);
    const version = `${pick([1, 2, 3])}.${pick([0, 1, 2])}.0`;
    mkdirSync(join(world.place.workDir, "plugins/generators"), { recursive: true });
    writeFileSync(pluginFile(world, type), plugin(type, "return version", "").replace('"1.0.0"', `"${version}"`));
    world.plugins.set(type, { version });
    return Promise.resolve(`plug-in ${type} ${version}`);
  },
  (world, pick) => {
    const type = pick(["alpha", "beta", "jinja2"]);
    const text = pick([plugin("jinja2", 'return "mine"'), "export default 5;", "throw new Error('no');"]);
    mkdirSync(join(world.place.workDir, "plugins/generators"), { recursive: true });
    writeFileSync(pluginFile(world, type), text);
    world.plugins.set(type, "rejected");
    return Promise.resolve(`bad plug-in ${type}: ${text.slice(0, 20)}`);
  },
  (world, pick) => {
    if (world.plugins.size === 0) return Promise.resolve(null);
    const type = pick([...world.plugins.keys()]);
    rmSync(pluginFile(world, type));
    world.plugins.delete(type);
    return Promise.resolve(`plug-in ${type} removed`);
  },
  async ({ all, configs: saved }, pick) => {
    const id = pick(["red", "green", "blue"]);
    await saveConfigs(
      all,
      configs.content(id, { type: "template_fill", template: pick(["One.", "Two.", "Three."]) }),
      configs.artifact(`${id}-book`, [{ id }]),
    );
    saved.add(id);
    return `save ${id}`;
  },
  async ({ all, off, configs: saved, contents }, pick) => {
    if (saved.size === 0) return null;
    const id = pick([...saved]);
    expect(off.has("compose__generate_content")).toBe(false);
    await all.call("compose__generate_content", { content_config_id: id, force: true });
    contents.add(id);
    return `generate ${id}`;
  },
  async ({ all, contents }, pick) => {
    if (contents.size === 0) return null;
    const id = pick([...contents]);
    expect(await all.call("compose__delete_content", { content_id: id, force: true })).toMatchObject({ success: true });
    contents.delete(id);
    return `delete ${id}`;
  },
  async ({ place, host, off }, pick) => {
    const tool = pick(Object.keys(FEATURES));
    toggle(off, tool);
    const capabilities = Object.fromEntries([...off].map((name) => [name, { enabled: false }]));
    place.configure({ ...place.configured(), policy: { ...UNASKED.policy, capabilities } });
    await host.bundles.reload();
    return `switched: ${tool}; off: ${[...off].join(" ")}`;
  },
];

const holdTrue = async ({ all, own, bundles, plugins, off, configs: saved, contents }: World): Promise<void> => {
  const { generators, metadata } = await all.read("capabilities://generators");
  const versions = [...plugins].flatMap(([type, made]): [string, string][] =>
    made === "rejected" ? [] : [[type, made.version]],
  );
  expect(Object.keys(generators as Json).toSorted()).toEqual(
    [...BUILT_IN, ...versions.map(([type]) => type)].toSorted(),
  );
  expect(generators).toMatchObject(
    Object.fromEntries(versions.map(([type, version]) => [type, { version, source: "plugin" }])),
  );
  const rejected = [...plugins].flatMap(([type, made]) => (made === "rejected" ? [`${type}.generator.mjs`] : []));
  expect((metadata.rejected as Json[]).map(({ plugin_path }) => plugin_path as string).toSorted()).toEqual(
    rejected.toSorted(),
  );
  const { generators: rows } = await all.call("compose__list_generators");
  expect((rows as Json[]).map(({ type, version, source }) => [type, version, source])).toEqual(
    Object.values(generators as Json)
      .map(({ type, version, source }) => [type, version, source])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  const tools = toolsOf(await all.read("capabilities://tools"));
  const providers = new Set(tools.map(({ provider }) => provider as string));
  expect([...providers].toSorted()).toEqual(["compose", "files", "nb", "skills", ...bundles].toSorted());
  const disabled = tools.filter(({ lifecycle }) => lifecycle.state === "disabled").map(({ name }) => name as string);
  expect(disabled.toSorted()).toEqual([...off].toSorted());
  for (const view of [all, own]) {
    const { features } = await view.read("capabilities://server");
    const missing = [...off].flatMap((tool) => FEATURES[tool] ?? []);
    const isOff = Object.keys(features as Json).filter((feature) => !features[feature]);
    expect(isOff.toSorted()).toEqual([...missing, "validation_suggestions"].toSorted());
  }
  for (const tool of off) expect(await all.call(tool, {})).toMatchObject({ error: { code: "disabled" } });
  const uris = new Set((await own.list("resources/list", "resources")).map(({ uri }) => uri as string));
  const concrete = [
    ...[...saved].flatMap((id) => [`config://content/${id}`, `config://artifact/${id}-book`]),
    ...[...contents].map((id) => `content://${id}`),
    ...[...BUILT_IN, ...versions.map(([type]) => type)].map((type) => `generator://${type}`),
  ];
  expect([...uris].filter((uri) => OF_NAMES.test(uri)).toSorted()).toEqual(concrete.toSorted());
  const ids = async (uri: string): Promise<string[]> =>
    (await own.read(uri))["items"].map(({ id }: Json) => id as string);
  expect((await ids("config://content/")).toSorted()).toEqual([...saved].toSorted());
  expect((await ids("content://")).toSorted()).toEqual([...contents].toSorted());
};

it("everything that is said of the host stays one, step by step", async () => {
  const place = makePlace();
  place.configure(UNASKED);
  const host = await place.start();
  const { secret: key } = await host.keys.create({ name: "few", scopes: ["compose__*", "one__echo"] });
  const path = "/mcp/providers/compose";
  const world: World = {
    place,
    host,
    all: await openView(host),
    own: await openView(host, { path }),
    few: await openView(host, { key }),
    bundles: new Set(),
    plugins: new Map(),
    off: new Set(),
    configs: new Set(),
    contents: new Set(),
  };
  const number = numbers(SEED);
  const pick = <T>(from: readonly T[]): T => from[number(from.length)]!;
  const done: string[] = [];
  while (done.length < STEPS) {
    const step = await pick(STEPS_THERE_ARE)(world, pick);
    if (step === null) continue;
    done.push(step);
    const views = done.length % 3 === 0 ? [world.all, world.own, world.few] : [world.all, world.own];
    for (const view of views) {
      const found = await differencesAt(host, view);
      expect({ done, at: view.path, found }).toEqual({ done, at: view.path, found: [] });
    }
    await holdTrue(world).catch((cause: unknown) => {
      throw new Error(`after ${done.join("; ")}: ${(cause as Error).message}`, { cause });
    });
  }
}, 120_000);
