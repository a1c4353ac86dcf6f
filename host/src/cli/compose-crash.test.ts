/**
 * kill -9 of the host while it generates, saves, cleans and assembles: what it said it had is there and whole, nothing half
 * is ever taken for a version, a config or a draft, the chain verifies, the next start works, and no plug-in is left running.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { openEvidence } from "../assembly/open-evidence.ts";
import { createDrill, type Drill, type Served } from "./drill-for-tests.ts";
import { seeded } from "./governed-drill-for-tests.ts";

const ROUNDS = 24;
const WORK = ["generating", "saving", "cleaning", "assembling"] as const;
type Work = (typeof WORK)[number];
/** Large enough that writing one takes a while. */
const PLUGIN = `export default { type: "slow", version: "1.0.0",
  async generate({ context }) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return context.n + ":" + String(context.n).repeat(60_000);
  } };\n`;

let drill: Drill;
afterEach(() => drill.clean());

const schemaRef = { id: "content-schema", version: "3.1" };
const contentOf = (id: string, template: string, type = "template_fill"): object => ({
  type: "content",
  id,
  schemaRef,
  metadata: { description: "A text.", version: "1.0.0" },
  elements: [{ name: "body" }],
  generation: { patterns: [{ id: "p", type, template }] },
});
const artifactOf = (children: readonly string[]): object => ({
  type: "artifact",
  id: "book",
  schemaRef,
  metadata: {
    title: "T",
    purpose: "P",
    outputs: ["a", "b"].map((name) => ({ file: `out/${name}.md`, format: "text" })),
  },
  content: { children: children.map((id) => ({ id })) },
});

/** All that the host said was done, before it was killed. */
interface Told {
  readonly versions: Map<string, string>;
  readonly saved: Map<string, string>;
  readonly drafts: Map<string, string>;
  assembled: number;
}

class Client {
  readonly #host: Served;
  readonly #told: Told;
  isOver = false;

  constructor(host: Served, told: Told) {
    this.#host = host;
    this.#told = told;
  }

  /** The answer; null: the host is gone. */
  async call(tool: string, args: object): Promise<any> {
    try {
      const { body } = await this.#host.call(`compose__${tool}`, args);
      return body.structuredContent ?? { success: false, error: body };
    } catch (error) {
      if (error instanceof Error && "code" in error) return null;
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }

  async generate(id: string, n: string): Promise<void> {
    const made = await this.call("generate_content", { content_config_id: id, context: { n }, force: true });
    if (made === null) return;
    expect(made).toMatchObject({ success: true });
    this.#told.versions.set(`${id} ${made.metadata.version_id}`, made.content);
  }

  async save(n: string): Promise<void> {
    const config_data = contentOf("kept", `${n}:${n.repeat(20_000)}`);
    const draft = await this.call("draft_config", { config_type: "content", config_data });
    if (draft === null) return;
    expect(draft).toMatchObject({ success: true });
    this.#told.drafts.set(draft.draft_id, n);
    const updates = { metadata: { description: `Changed by ${n}.` } };
    const changed = await this.call("modify_config", { config_id: draft.draft_id, updates });
    if (changed === null) return;
    const saved = await this.call("save_config", { draft_id: draft.draft_id, config_id: "kept", overwrite: true });
    if (saved === null) return;
    expect(saved).toMatchObject({ success: true });
    this.#told.saved.set("kept", n);
  }

  async clean(n: string): Promise<void> {
    await this.generate("cleaned", n);
    const retention = { keep_versions: 2, keep_days: 0, keep_latest: true };
    const done = await this.call("cleanup_ephemeral", { retention, filter: { content_ids: ["cleaned"] } });
    if (done !== null) expect(done).toMatchObject({ success: true, status: "cleaned" });
    if (Number(n.split(".").at(-1)) % 5 === 4) {
      await this.generate("gone", n);
      await this.call("delete_content", { content_id: "gone", force: true });
    }
  }

  async assemble(n: string): Promise<void> {
    await this.generate("part", n);
    const made = await this.call("assemble_artifact", { artifact_config_id: "book", force: true });
    if (made === null) return;
    expect(made).toMatchObject({ success: true });
    this.#told.assembled++;
  }
}

const DO: Readonly<Record<Work, (client: Client, n: string) => Promise<void>>> = {
  generating: (client, n) => client.generate("made", n),
  saving: (client, n) => client.save(n),
  cleaning: (client, n) => client.clean(n),
  assembling: (client, n) => client.assemble(n),
};

const rootOf = (): string => join(drill.dir, "project");
const dataOf = (): string => join(drill.workDir, "workspaces/ws_default/data/compose");

/** `<n>:<n repeated>`, or nothing whole. */
const isWhole = (text: string): boolean => {
  const at = text.indexOf(":");
  const [n, rest] = [text.slice(0, at), text.slice(at + 1)];
  return at > 0 && (rest === n.repeat(60_000) || rest === n.repeat(20_000));
};

/** Every version that can be seen is a text that was made, and those that were told of are among them. */
const checkVersions = async (client: Client, told: Told): Promise<number> => {
  const seen = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const args = { strategy: "all", limit: 5, include_content: true, ...(cursor === undefined ? {} : { cursor }) };
    const page = await client.call("query_ephemeral_storage", args);
    expect(page).toMatchObject({ success: true });
    for (const { content_id, version_id, content, content_hash } of page.entries) {
      expect([content_id, version_id, isWhole(content)]).toEqual([content_id, version_id, true]);
      expect(
        createHash("sha256")
          .update(content as string)
          .digest("hex")
          .slice(0, 12),
      ).toBe(content_hash);
      const said = told.versions.get(`${content_id} ${version_id}`);
      if (said !== undefined) expect(content === said).toBe(true);
      seen.add(`${content_id} ${version_id}`);
    }
    cursor = page.next_cursor as string | undefined;
    if (cursor === undefined) break;
  }
  const kept = [...told.versions.keys()].filter((key) => /^(?:made|part) /.test(key));
  expect(kept.filter((key) => !seen.has(key))).toEqual([]);
  return seen.size;
};

/** What is saved is one of the configs that were drafted, whole, and not older than the last that was told of. */
const checkConfigs = async (client: Client, told: Told): Promise<void> => {
  for (const [draft_id, n] of told.drafts) {
    const tested = await client.call("test_config", { draft_id });
    expect([draft_id, tested.success, String(tested.preview_content).startsWith(`${n}:`)]).toEqual([
      draft_id,
      true,
      true,
    ]);
  }
  told.drafts.clear();
  if (told.saved.size === 0) return;
  const made = await client.call("preview_generation", { content_config_id: "kept" });
  expect([made.success, isWhole(String(made.content))]).toEqual([true, true]);
  const listed = await client.call("list_content", {});
  const ids = listed.content.map(({ id }: { id: string }) => id).toSorted();
  expect(ids).toEqual(["cleaned", "gone", "kept", "made", "part"]);
};

/** Both outputs are whole texts that were assembled; a half one never stands at their place. */
const checkOutputs = (told: Told): void => {
  for (const name of ["a", "b"]) {
    const file = join(rootOf(), `out/${name}.md`);
    if (existsSync(file)) expect([name, isWhole(readFileSync(file, "utf8"))]).toEqual([name, true]);
    else expect(told.assembled).toBe(0);
  }
};

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
};

/** What the configs and stores hold under names that count is whole JSON. */
const checkFiles = (): void => {
  for (const dir of [
    join(rootOf(), "configs"),
    join(dataOf(), "drafts"),
    join(dataOf(), "assemblies"),
    join(dataOf(), "ephemeral"),
  ]) {
    if (!existsSync(dir)) continue;
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.json(?:\.backup)?$/.test(entry.name)) continue;
      const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
      expect([entry.name, isJson(text)]).toEqual([entry.name, true]);
    }
  }
};

/** Every call that began has one end, and the chain is whole. */
const checkEvidence = (): void => {
  const evidence = openEvidence(drill.workDir);
  const events = [...evidence.range(1, evidence.last())].map((line) => JSON.parse(line) as Record<string, string>);
  expect(evidence.verify()).toMatchObject({ valid: true, count: events.length });
  evidence.close();
  const ends = /^execution_(started|completed|failed|indeterminate)$/;
  const runs = Map.groupBy(
    events.filter(({ event_type = "" }) => ends.test(event_type)),
    (event) => event["invocation_id"],
  );
  for (const [, [first, ...rest]] of runs)
    expect([first?.["event_type"], rest.length]).toEqual(["execution_started", 1]);
  const cut = events.filter(({ event_type }) => event_type === "execution_indeterminate");
  expect(cut.length).toBeGreaterThan(0);
};

const setUp = async (): Promise<void> => {
  drill = await createDrill([], { capabilities: { roots: { list: [{ name: "project", path: "project" }] } } });
  const plugins = join(drill.workDir, "plugins/generators");
  for (const dir of [plugins, join(rootOf(), "configs/artifacts")]) mkdirSync(dir, { recursive: true });
  writeFileSync(join(plugins, "slow.generator.mjs"), PLUGIN);
  writeFileSync(join(rootOf(), "configs/artifacts/book-artifact.json"), JSON.stringify(artifactOf(["part"])));
  for (const id of ["made", "cleaned", "gone", "part"]) {
    const dir = join(rootOf(), `configs/content/${id}`);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, `${id}-content.json`), JSON.stringify(contentOf(id, "x", "slow")));
  }
};

it(`${ROUNDS} times: what was told is there, nothing half is read, the chain is whole and the next start works`, async () => {
  await setUp();
  const next = seeded(20_261_117);
  const told: Told = { versions: new Map(), saved: new Map(), drafts: new Map(), assembled: 0 };
  let host = await drill.serve();
  for (let round = 0; round < ROUNDS; round++) {
    const work = WORK[round % WORK.length]!;
    const client = new Client(host, told);
    // The plug-in's process is up when the killing begins.
    await client.generate("made", `w${round}`);
    let [begun, done] = [0, 0];
    const hand = async (at: number): Promise<void> => {
      while (!client.isOver) {
        const n = `r${round}.${at}.${begun++}`;
        await DO[work](client, n);
        done++;
      }
    };
    const hands = Promise.all([0, 1, 2].map(hand));
    await drill.until(() => done > next() * 6);
    await sleep(next() * 12);
    // The host, and the plug-in that it started.
    expect((await drill.leftovers(0)).length).toBeGreaterThan(1);
    host.kill();
    client.isOver = true;
    await hands;
    expect(await drill.leftovers(5_000)).toEqual([]);

    host = await drill.serve();
    const after = new Client(host, told);
    expect(await checkVersions(after, told)).toBeGreaterThan(0);
    await checkConfigs(after, told);
    checkOutputs(told);
    checkFiles();
    if (round % 4 === 3) await after.call("cleanup_ephemeral", { retention: { keep_versions: 1, keep_days: 0 } });
    if (round % 4 === 3) told.versions.clear();
  }
  expect(await host.stop()).toBe(0);
  expect(told.assembled).toBeGreaterThan(0);
  checkEvidence();
}, 240_000);
