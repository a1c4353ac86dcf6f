/** Every code that `capabilities://tools` names for a tool of compose is really answered by that tool of a whole host. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { plugin } from "../compose/plugins/plugins-for-tests.ts";
import {
  configs,
  faultsOf,
  openView,
  saveConfigs,
  toolsOf,
  UNASKED,
  type ComposeView,
  type Json,
} from "./compose-view-for-tests.ts";
import { makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

/** Shown beside the tools, where time, the disk or the queue can be others: nobody waits for minutes here. */
const SHOWN_ELSEWHERE = [
  "assemble_artifact queue_full",
  "assemble_artifact write_failed",
  "batch_generate_content generation_timeout",
  "batch_generate_content queue_full",
];
const LIMITS = { max_content_size_bytes: 100, max_artifact_components: 2, max_batch_size: 3 };
const NO_DRAFT = "draft-20200101T000000-0a1b2c";
/** Those that run, and those that wait. */
const CROWD = 8 + 100;

const SAVED = [
  configs.content("fine", { type: "template_fill", template: "Fine." }),
  configs.content("part", { type: "template_fill", template: "Part." }),
  configs.content("blank", { type: "template_fill", template: "Dear {{name}}," }),
  configs.content("long", { type: "template_fill", template: "x".repeat(101) }),
  configs.content("coded", { type: "code_generation", specification: "Print one." }),
  configs.content("late", { type: "late" }),
  configs.content("held", { type: "held" }),
  configs.artifact("lacking", [{ id: "blank" }]),
  configs.artifact("unread", [{ id: "part", review_required: true }]),
  configs.artifact(
    "many",
    ["part", "blank", "long"].map((id) => ({ id })),
  ),
  configs.artifact(
    "double",
    [
      { id: "part", order: 1 },
      { id: "part", order: 2 },
    ],
    {
      compositionConfig: { separator: "-".repeat(100) },
    },
  ),
  configs.artifact("mixed", [{ id: "part" }], {
    compositionStrategy: "template",
    compositionConfig: { template: "{{ context.a.b }}" },
  }),
];

const projectOf = (place: Place, ...path: readonly string[]): string =>
  join(place.workDir, "workspaces/ws_default/project", ...path);

const put = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

/** A host with little room, a generator that is always late, and one that waits until it is let go. */
const start = async (): Promise<{ place: Place; host: WholeHost; view: ComposeView; letGo: () => void }> => {
  const place = makePlace();
  place.configure({ ...UNASKED, compose: { limits: LIMITS }, mcp: { maxRequestBytes: 20_000_000 } });
  const release = join(place.dir, "let-go");
  const letGo = (): void => put(release, "");
  onTestFinished(letGo);
  const folder = join(place.workDir, "plugins/generators");
  const soon = "upstream_dependencies: { services: [], credentials_required: [], expected_latency_ms: { p95: 20 } },";
  put(
    join(folder, "late.generator.mjs"),
    plugin("late", "await new Promise(() => setTimeout(() => {}, 60000));", soon),
  );
  const wait = `const { existsSync } = await import("node:fs");
    while (!existsSync(${JSON.stringify(release)})) await new Promise((next) => setTimeout(next, 20));
    return "Free.";`;
  put(join(folder, "held.generator.mjs"), plugin("held", wait));
  const host = await place.start();
  const view = await openView(host);
  await saveConfigs(view, ...SAVED);
  // As a person may write them.
  const odd = configs.content("odd", { type: "nobodys" });
  put(projectOf(place, "configs/content/odd/odd-content.json"), JSON.stringify(odd));
  put(projectOf(place, "configs/artifacts/broken-artifact.json"), JSON.stringify({ type: "artifact", id: "broken" }));
  for (const id of ["fine", "part"]) await view.call("compose__generate_content", { content_config_id: id });
  return { place, host, view, letGo };
};

/** By which arguments each code is answered. */
const waysOf = async (view: ComposeView): Promise<Readonly<Record<string, Json>>> => {
  const draft = async (config: Json): Promise<string> =>
    (await view.call("compose__draft_config", { config_type: config["type"], config_data: config }))[
      "draft_id"
    ] as string;
  const [letter, book] = [await draft(SAVED[2]!), await draft(configs.artifact("book", [{ id: "fine" }]))];
  const huge = { ...SAVED[0], "x-more": "y".repeat(10_000_000) };
  const making = {
    invalid_input: { content_config_id: 5 },
    invalid_context: { content_config_id: "fine", context: "[1]" },
    invalid_config_id: { content_config_id: "../fine" },
    config_not_found: { content_config_id: "absent" },
    generator_not_found: { content_config_id: "odd" },
    missing_credential: { content_config_id: "coded" },
    generation_failed: { content_config_id: "blank" },
    generation_timeout: { content_config_id: "late" },
    content_too_large: { content_config_id: "long" },
    queue_full: { content_config_id: "held", context: { last: true } },
  };
  return {
    generate_content: making,
    regenerate_content: making,
    preview_generation: making,
    assemble_artifact: {
      invalid_config_id: { artifact_config_id: "" },
      invalid_context: { artifact_config_id: "lacking", context: 5 },
      config_not_found: { artifact_config_id: "absent" },
      content_missing: { artifact_config_id: "lacking" },
      content_not_approved: { artifact_config_id: "unread" },
      too_many_components: { artifact_config_id: "many" },
      content_too_large: { artifact_config_id: "double" },
      assembly_failed: { artifact_config_id: "mixed" },
      invalid_output_path: { artifact_config_id: "mixed", output_path: "../out.md" },
    },
    draft_config: {
      validation_error: { config_type: "content", config_data: {} },
      invalid_input: { config_type: "content", config_data: huge },
    },
    modify_config: {
      draft_not_found: { config_id: NO_DRAFT, updates: {} },
      config_not_found: { config_id: "absent", updates: {} },
      modification_failed: { config_id: letter, updates: { elements: null } },
      invalid_config_id: { config_id: "a/b", updates: {} },
      invalid_input: { config_id: letter, updates: { "x-more": "y".repeat(10_000_000) } },
    },
    save_config: {
      draft_not_found: { draft_id: NO_DRAFT, config_id: "new" },
      save_failed: { draft_id: letter, config_id: "fine" },
      invalid_config_id: { draft_id: "..", config_id: "new" },
    },
    test_config: {
      invalid_input: { draft_id: letter, dry: true },
      invalid_context: { draft_id: letter, context: [] },
      invalid_config_id: { draft_id: "fine" },
      draft_not_found: { draft_id: NO_DRAFT },
      test_failed: { draft_id: book },
      test_execution_failed: { draft_id: letter },
    },
    cleanup_ephemeral: {
      invalid_retention: { retention: { keep_days: -1 } },
      invalid_config_id: { filter: { content_ids: [".."] } },
    },
    delete_content: {
      content_not_found: { content_id: "blank" },
      content_referenced: { content_id: "part" },
      invalid_config_id: { content_id: ".." },
    },
    query_ephemeral_storage: {
      content_not_found: { content_id: "blank" },
      invalid_input: { strategy: "newest" },
      invalid_config_id: { content_id: "../fine" },
    },
    list_content: { invalid_input: { limit: 0 } },
    list_artifacts: { invalid_input: { sort: "size" } },
    trace_dependencies: {
      config_not_found: { artifact_config_id: "absent" },
      assembly_failed: { artifact_config_id: "broken" },
      invalid_config_id: { artifact_config_id: "a\\b" },
    },
    validate_content: {
      content_not_found: { content_or_config_id: "absent" },
      validation_failed: { content_or_config_id: "fine" },
      invalid_config_id: { content_or_config_id: "" },
    },
    batch_generate_content: {
      invalid_input: { content_ids: [] },
      invalid_context: { content_ids: ["fine"], shared_context: 1 },
      invalid_config_id: { content_ids: ["fine", "a/b"] },
      batch_too_large: { content_ids: ["a", "b", "c", "d"] },
      generation_failed: { content_ids: ["blank", "odd"] },
      config_not_found: { content_ids: ["absent"] },
      generator_not_found: { content_ids: ["odd"] },
      missing_credential: { content_ids: ["coded"] },
      content_too_large: { content_ids: ["long"] },
    },
  };
};

/** Fills all places: with one more than there are, the first answer of all is that it has to come again. */
const crowd = async (host: WholeHost): Promise<{ readonly answers: Promise<readonly Json[]> }> => {
  const ask = async (n: number): Promise<Json> => {
    const order = { name: "compose__preview_generation", arguments: { content_config_id: "held", context: { n } } };
    return (await host.rest("POST", "/v1/tools/call", order)).json.structuredContent as Json;
  };
  const asked = Array.from({ length: CROWD + 1 }, (_, n) => ask(n));
  expect(await Promise.race(asked)).toMatchObject({ error: { code: "queue_full" } });
  return { answers: Promise.all(asked) };
};

it("each of them occurs, in the form that the tool's schema has for failures", async () => {
  const { place, host, view, letGo } = await start();
  const ways = await waysOf(view);
  const stored = join(place.workDir, "workspaces/ws_default/data/compose/ephemeral/fine");
  for (const file of readdirSync(stored))
    if (file.endsWith(".markdown") || file.endsWith(".md")) rmSync(join(stored, file));
  const tools = toolsOf(await view.read("capabilities://tools/compose"));
  const elsewhere: string[] = [];
  const wrong: string[] = [];
  const later: (() => Promise<void>)[] = [];
  for (const { name: flat, common_errors, output_schema } of tools) {
    const name = (flat as string).slice("compose__".length);
    for (const { code } of common_errors as Json[]) {
      const args = ways[name]?.[code as string] as Json | undefined;
      if (args === undefined) {
        elsewhere.push(`${name} ${code}`);
        continue;
      }
      const check = async (): Promise<void> => {
        const answer = await view.call(flat as string, args);
        const told = `${name} ${code}: ${JSON.stringify(answer).slice(0, 300)}`;
        if (answer["error"]?.code !== code || faultsOf(output_schema as object, answer) !== "") wrong.push(told);
      };
      if (code === "queue_full") later.push(check);
      else await check();
    }
  }
  const { answers } = await crowd(host);
  for (const check of later) await check();
  letGo();
  expect((await answers).filter(({ success }) => success === true)).toHaveLength(CROWD);
  expect(wrong).toEqual([]);
  expect(elsewhere.toSorted()).toEqual(SHOWN_ELSEWHERE);
});
