/** For tests: one endpoint of a whole host as the holder of one key sees it, and what every list and document there says of it. */
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";
import type { Ajv2020 } from "ajv/dist/2020.js";
import { disagreements } from "../compose/documents/disagreements-for-tests.ts";
import { templateMatches } from "../compose/documents/uri-patterns.ts";
import { openSession, type Said } from "../transport/client-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const { Ajv2020: Engine } = createRequire(import.meta.url)("ajv/dist/2020.js") as { Ajv2020: typeof Ajv2020 };

export type Json = Record<string, any>;

/** A configuration by which nobody is asked: clients of MCP are programs, and some tools are of high risk. */
export const UNASKED = {
  approvals: { waitSeconds: 0 },
  policy: { shipped: false, rules: [{ id: "all", match: {}, effect: "allow" }] },
};

export interface ComposeView {
  /** `/mcp`, or the endpoint of one provider. */
  readonly path: string;
  readonly key: string;
  /** The reply, whichever it is. */
  readonly ask: (method: string, params?: object) => Promise<Json>;
  /** All pages. */
  readonly list: (method: string, member: string) => Promise<readonly Json[]>;
  /** A JSON document. */
  readonly read: (uri: string) => Promise<Json>;
  /** What a tool says; a refusal has the form of a failure. By the name it has on `/mcp`. */
  readonly call: (flat: string, args?: object) => Promise<Json>;
}

export const lastOf = ({ json }: Said): Json => (Array.isArray(json) ? json.at(-1) : json) as Json;

/** A refusal of the host, or a failure that the tool told: the same to whoever called. */
export const toldOf = ({ result, error }: Json): Json => {
  const refusal = (error?.data ?? result?._meta?.["dev.bailiwick/refusal"]) as Json | undefined;
  if (refusal !== undefined) return { success: false, error: { ...refusal, code: refusal["kind"] } };
  return (result?.structuredContent ?? result) as Json;
};

export const openView = async (
  { origin, key: owner }: WholeHost,
  { path = "/mcp", key = owner }: Partial<Pick<ComposeView, "path" | "key">> = {},
): Promise<ComposeView> => {
  const session = await openSession(origin, "2025-11-25", path, key);
  const ask: ComposeView["ask"] = async (method, params = {}) => lastOf(await session.call(method, params));
  const isOwn = path !== "/mcp";
  return {
    path,
    key,
    ask,
    async list(method, member) {
      const all: Json[] = [];
      let cursor: unknown;
      do {
        const { result } = await ask(method, cursor === undefined ? {} : { cursor });
        all.push(...(result[member] as Json[]));
        cursor = result.nextCursor;
      } while (cursor !== undefined);
      return all;
    },
    async read(uri) {
      const { result, error } = await ask("resources/read", { uri });
      if (error !== undefined) throw new Error(`${uri} cannot be read: ${JSON.stringify(error)}`);
      return JSON.parse(result.contents[0].text as string) as Json;
    },
    async call(flat, args = {}) {
      const name = isOwn ? flat.slice(flat.indexOf("__") + 2) : flat;
      return toldOf(await ask("tools/call", { name, arguments: args }));
    },
  };
};

export const toolsOf = ({ tools_by_category: shelves }: Json): readonly Json[] =>
  Object.values(shelves as Record<string, Json[]>).flat();

const compiled = new Map<string, { readonly engine: Ajv2020; readonly check: ReturnType<Ajv2020["compile"]> }>();

/** What is wrong with it; empty: it is valid. */
export const faultsOf = (schema: object, value: unknown): string => {
  const text = JSON.stringify(schema);
  // Of its own: two schemas may have one id.
  const engine = new Engine({ allErrors: true, strict: false, logger: false });
  const known = compiled.get(text) ?? { engine, check: engine.compile(schema) };
  compiled.set(text, known);
  return known.check(value) ? "" : known.engine.errorsText(known.check.errors);
};

const readAll = async (view: ComposeView) => {
  const read = (type: string): Promise<Json> => view.read(`capabilities://${type}`);
  return {
    overview: await read(""),
    server: await read("server"),
    tools: await read("tools"),
    resources: await read("resources"),
    generators: await read("generators"),
    listed: await view.list("tools/list", "tools"),
  };
};

/** Where lists, documents, the manifest, search and explanations differ on this endpoint. Empty: they agree. */
export const differencesAt = async (host: WholeHost, view: ComposeView): Promise<readonly string[]> => {
  const before = await momentOf(host, view);
  const documents = await readAll(view);
  const found = [
    ...disagreements(documents),
    ...(await aboutParts(view, documents.tools)),
    ...(await aboutSchemas(view, documents)),
    ...(await aboutLinks(view, documents)),
    ...(await aboutOtherDoors(host, view, documents.tools)),
  ];
  // Something changed meanwhile: nobody said that two moments are the same.
  return before === (await momentOf(host, view)) ? found : differencesAt(host, view);
};

const momentOf = async (host: WholeHost, view: ComposeView): Promise<string> => {
  const { surface_version: version } = await view.read("capabilities://");
  return JSON.stringify([version, host.tools().map(({ name, state }) => [name, state])]);
};

const namesOf = (tools: readonly Json[]): string =>
  tools
    .map(({ name }) => String(name))
    .toSorted()
    .join(" ");
const differ = (what: string, one: string, other: string): readonly string[] =>
  one === other ? [] : [`${what}: ${one} | ${other}`];

const aboutParts = async (view: ComposeView, tools: Json): Promise<readonly string[]> => {
  const all = toolsOf(tools);
  const found: string[] = [];
  for (const provider of new Set(all.map((tool) => tool["provider"] as string))) {
    const part = await view.read(`capabilities://tools/${provider}`);
    const own = all.filter((tool) => tool["provider"] === provider);
    found.push(...differ(`tools of ${provider}`, entriesOf(toolsOf(part)), entriesOf(own)));
    found.push(...differ(`count of ${provider}`, String(part["metadata"].total_count), String(own.length)));
  }
  return found;
};

/** Times are of the last calls, which go on. */
const entriesOf = (tools: readonly Json[]): string =>
  JSON.stringify(
    tools
      .map((tool) => ({ ...tool, performance: tool["performance"].timeout_ms }))
      .toSorted((a, b) => (String(a["name" as keyof typeof a]) < String(b["name" as keyof typeof b]) ? -1 : 1)),
  );

const aboutSchemas = async (view: ComposeView, documents: Json): Promise<readonly string[]> => {
  const types = ["server", "tools", "resources", "generators"];
  const schemaOf = (type: string): Promise<Json | null> => view.read(`schema://capabilities-${type}`).catch(() => null);
  const found = await Promise.all(
    types.map(async (type) => {
      const schema = await schemaOf(type);
      const faults = schema === null ? "" : faultsOf(schema, documents[type]);
      return faults === "" ? [] : [`capabilities://${type} breaks its schema: ${faults}`];
    }),
  );
  return found.flat();
};

/** Every link can be read now, and every pattern is a template that is listed. */
const aboutLinks = async (view: ComposeView, { resources, generators }: Json): Promise<readonly string[]> => {
  const families = Object.values(resources["resources"] as Json) as Json[];
  const listed = (await view.list("resources/list", "resources")).map(({ uri }) => String(uri));
  const templates = (await view.list("resources/templates/list", "resourceTemplates")).map((each) =>
    String(each["uriTemplate"]),
  );
  const docs = Object.values(generators["generators"] as Json).map(({ docs_uri }) => String(docs_uri));
  const uris = new Set([...families.flatMap(({ examples }) => examples as string[]), ...listed]);
  // A key that may read nothing of compose but what this family says is told of generators all the same.
  if (listed.includes("generator://")) for (const uri of docs) uris.add(uri);
  const unread: string[] = [];
  for (const uri of uris) {
    const { error } = await view.ask("resources/read", { uri });
    if (error !== undefined) unread.push(`${uri} cannot be read: ${error.message}`);
  }
  const patterns = families.flatMap((family) => family["patterns"] as string[]);
  const unlisted = patterns.filter((pattern) => pattern.includes("{") && !templates.includes(pattern));
  const homeless = [...templates, ...listed].filter(
    (uri) => !patterns.some((pattern) => pattern === uri || templateMatches(pattern, uri)) && !isIndex(uri),
  );
  return [
    ...unread,
    ...unlisted.map((pattern) => `${pattern} is in no list of templates`),
    ...homeless.map((uri) => `${uri} is of no family`),
  ];
};

/** `content://`, `config://content/`: they list a family, and are no member of it. */
const isIndex = (uri: string): boolean => uri.endsWith("/");

const aboutOtherDoors = async (host: WholeHost, view: ComposeView, tools: Json): Promise<readonly string[]> => {
  const auth = { authorization: `Bearer ${view.key}` };
  const get = async (path: string): Promise<Json> => (await host.rest("GET", path, undefined, auth)).json as Json;
  const isOwn = view.path !== "/mcp";
  const provider = isOwn ? view.path.split("/").at(-1) : null;
  const flatOf = ({ name }: Json): string => (isOwn ? `${provider}__${name}` : String(name));
  const shown = toolsOf(tools);
  const ofProvider = (name: string): boolean => !isOwn || name.startsWith(`${provider}__`);
  const rows = ((await get("/v1/tools"))["tools"] as Json[]).filter(({ name }) => ofProvider(name as string));
  const described = ((await get("/chp/host"))["capabilities"] as Json[]).filter(({ id }) => ofProvider(id as string));
  const manifest = new Map(described.map((each) => [each["id"] as string, each]));
  const states = new Map(rows.map(({ name, state }) => [name as string, String(state)]));
  const names = shown.map(flatOf).toSorted().join(" ");
  const found = [
    ...differ("GET /v1/tools", namesOf(rows), names),
    ...differ("/chp/host", [...manifest.keys()].toSorted().join(" "), names),
  ];
  const ofEach = shown.map(async (tool) => {
    const name = flatOf(tool);
    const { state } = tool["lifecycle"] as Json;
    const hits = (await get(`/v1/tools?q=${encodeURIComponent(name)}`))["tools"] as Json[];
    return [
      differ(`state of ${name}`, String(state), states.get(name) ?? "unlisted"),
      differ("found first", String(hits[0]?.["name"]), name),
      aboutDescribed(tool, manifest.get(name) ?? {}),
      await aboutExplained(host, { tool, name }, auth),
    ].flat();
  });
  return [...found, ...(await Promise.all(ofEach)).flat()];
};

const aboutDescribed = (tool: Json, described: Json): readonly string[] =>
  (["input_schema", "output_schema", "version", "description"] as const)
    .filter((key) => !isDeepStrictEqual(tool[key], described[key] ?? {}))
    .map((key) => `${key} of ${tool["name"]} is another one in /chp/host`);

const REFUSED = ["disabled", "unavailable", "suspended"];

const aboutExplained = async (
  host: WholeHost,
  { tool, name }: { readonly tool: Json; readonly name: string },
  auth: Readonly<Record<string, string>>,
): Promise<readonly string[]> => {
  const { lifecycle, version } = tool as { lifecycle: Json; version: string };
  const input = (tool["examples"] as Json[])[0]?.["input"] ?? {};
  const { json } = await host.rest("POST", "/v1/tools/explain", { name, arguments: input }, auth);
  const said = json as Json;
  const stage = (check: string): Json | undefined => (said["stages"] as Json[]).find((each) => each["check"] === check);
  const { status, why } = stage("state") ?? {};
  // One that only has to be waited for is no reason to refuse.
  const explained =
    status === "fail" ? REFUSED.find((state) => state === lifecycle["state"]) : String(why).split(":")[0];
  return [
    ...differ(`explain of ${name}`, String(said["tool"]), name),
    ...differ(`explained version of ${name}`, String(stage("version")?.["why"]), version),
    ...differ(`explained state of ${name}`, String(explained), String(lifecycle["state"])),
  ];
};

const content = (id: string, pattern: object, more: object = {}): Json => ({
  type: "content",
  id,
  schemaRef: { id: "content-schema", version: "3.1" },
  metadata: { description: `The ${id}.`, version: "1.0.0", output_format: "markdown" },
  elements: [{ name: "body" }],
  generation: { patterns: [{ id: "only", ...pattern }] },
  ...more,
});

const artifact = (id: string, children: readonly object[], metadata: object = {}): Json => ({
  type: "artifact",
  id,
  schemaRef: { id: "artifact-schema", version: "3.1" },
  metadata: { title: id, purpose: "To be read.", outputs: [{ file: `${id}.md`, format: "markdown" }], ...metadata },
  content: { children },
});

export const configs = { content, artifact };

/** Drafts and saves them, as anybody does. */
export const saveConfigs = async (view: ComposeView, ...all: readonly Json[]): Promise<void> => {
  for (const config of all) {
    const { draft_id, error } = await view.call("compose__draft_config", {
      config_type: config["type"],
      config_data: config,
    });
    if (error !== undefined) throw new Error(JSON.stringify(error));
    const saved = await view.call("compose__save_config", { draft_id, config_id: config["id"], overwrite: true });
    if (saved["success"] !== true) throw new Error(JSON.stringify(saved));
  }
};
