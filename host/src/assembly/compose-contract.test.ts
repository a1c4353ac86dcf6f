/**
 * What the documents of `capabilities://` say, every list, the manifest, search, explanations and real calls are one: for the
 * owner, for a key with few scopes, on the endpoint of all and on that of compose.
 */
import { expect, it } from "vitest";
import {
  configs,
  differencesAt,
  faultsOf,
  openView,
  saveConfigs,
  toolsOf,
  UNASKED,
  type ComposeView,
  type Json,
} from "./compose-view-for-tests.ts";
import { makePlace, type WholeHost } from "./whole-host-for-tests.ts";

const OWN = "/mcp/providers/compose";
const FEW = ["compose__list_content", "compose__generate_content", "files__list", "one__echo"];
/** What the examples of the tools name. */
const NAMED = [
  configs.content("release-notes", { template: "# Notes {{ product | default('all') }}" }),
  configs.content("welcome-letter", { type: "template_fill", template: "Dear {{name}}," }),
  configs.content("invoice", { type: "template_fill", template: "Total: {{total}}" }),
  configs.content("letter", { type: "template_fill", template: "A letter." }),
  configs.content("intro", { type: "demonstration" }, { elements: [{ name: "body", example_output: "Begin here." }] }),
  configs.artifact("book", [{ id: "intro" }, { id: "letter", required: false }]),
  configs.artifact("handbook", [{ id: "release-notes" }]),
];

const start = async (): Promise<WholeHost> => {
  const place = makePlace();
  place.bundle("one");
  place.configure({ ...UNASKED, bundles: [{ path: "one" }] });
  const host = await place.start();
  await host.until("one", "running");
  return host;
};

const viewsOf = async (host: WholeHost): Promise<Readonly<Record<string, ComposeView>>> => {
  const { secret: few } = await host.keys.create({ name: "few", scopes: FEW });
  return {
    "the owner": await openView(host),
    "the owner on the endpoint of compose": await openView(host, { path: OWN }),
    "a key with few scopes": await openView(host, { key: few }),
    "a key with few scopes on the endpoint of compose": await openView(host, { key: few, path: OWN }),
  };
};

const named = (tools: readonly Json[]): string[] => tools.map(({ name }) => String(name)).toSorted();

it("all of it is one, whoever looks and wherever", async () => {
  const host = await start();
  const views = await viewsOf(host);
  const [owner = null] = Object.values(views);
  for (const when of ["with nothing saved", "with configs and texts"]) {
    for (const [who, view] of Object.entries(views)) {
      expect([when, who, await differencesAt(host, view)]).toEqual([when, who, []]);
    }
    await saveConfigs(owner!, ...NAMED);
    await owner!.call("compose__batch_generate_content", { content_ids: ["release-notes", "letter", "intro"] });
  }
  const seen = await Promise.all(
    Object.values(views).map(async (view) => toolsOf(await view.read("capabilities://tools"))),
  );
  expect(seen.map(({ length }) => length)).toEqual([35, 17, 4, 2]);
  expect(named(seen[2]!)).toEqual(FEW.toSorted());
});

const COMPOSE = 17;
const UNKNOWN = new Set(["unknown_tool", "not_visible"]);

it("every tool that is shown answers, and no other does", async () => {
  const host = await start();
  const views = await viewsOf(host);
  const all = named(toolsOf(await views["the owner"]!.read("capabilities://tools")));
  for (const [who, view] of Object.entries(views)) {
    const isOwn = view.path === OWN;
    const shown = toolsOf(await view.read("capabilities://tools"));
    const answering: string[] = [];
    for (const flat of all.filter((name) => !isOwn || name.startsWith("compose__"))) {
      // Ends its process, or waits for somebody.
      if (flat === "one__crash" || flat === "one__slow") continue;
      const { error } = await view.call(flat, { "no argument of any tool": 1 });
      if (!UNKNOWN.has(error?.code as string)) answering.push(isOwn ? flat.slice("compose__".length) : flat);
    }
    const expected = named(shown).filter((name) => name !== "one__crash" && name !== "one__slow");
    expect([who, answering]).toEqual([who, expected]);
  }
});

/** What is wrong with the examples of the tools there, and with what is answered to them. */
const exampleFaults = async (view: ComposeView): Promise<{ readonly faults: readonly string[]; ran: number }> => {
  const faults: string[] = [];
  let ran = 0;
  for (const tool of toolsOf(await view.read("capabilities://tools"))) {
    const { name, provider, input_schema, output_schema, examples, common_errors } = tool;
    // Those of the host's own tools are looked at in host-guides.test.ts.
    if (provider !== "compose") continue;
    if (examples.length < 2) faults.push(`${name} has ${examples.length} examples`);
    for (const { input } of examples as Json[]) {
      const wrong = faultsOf(input_schema, input);
      if (wrong !== "") faults.push(`an example of ${name}: ${wrong}`);
      const answer = await view.call(view.path === OWN ? `compose__${name}` : name, input);
      ran++;
      const unlike = faultsOf(output_schema, answer);
      if (unlike !== "") faults.push(`the answer of ${name}: ${unlike}: ${JSON.stringify(answer)}`);
      const codes = (common_errors as Json[]).map(({ code }) => code as string);
      if (answer["success"] === false && !codes.includes(answer["error"].code as string))
        faults.push(`${name} answers its example with ${JSON.stringify(answer["error"])}`);
    }
  }
  return { faults, ran };
};

it("every example is valid and can be called, and its answer is as the tool's schema says", async () => {
  const host = await start();
  const { "the owner": owner, "the owner on the endpoint of compose": own } = await viewsOf(host);
  for (const view of [owner!, own!]) {
    const { faults, ran } = await exampleFaults(view);
    expect(faults).toEqual([]);
    expect(ran).toBeGreaterThanOrEqual(2 * COMPOSE);
  }
  await saveConfigs(owner!, ...NAMED);
  await own!.call("compose__batch_generate_content", { content_ids: ["release-notes", "letter", "intro"] });
  for (const view of [own!, owner!]) expect((await exampleFaults(view)).faults).toEqual([]);
  // They did what they say, where it was there to be done.
  expect((await owner!.call("compose__list_artifacts", { filter: { assembled: true } }))["artifacts"]).toMatchObject([
    { id: "handbook" },
  ]);
});
