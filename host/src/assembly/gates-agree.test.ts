/**
 * Lists, manifest, explanations, the terminal and the gate itself say the same of every tool that there is: of bundles, of
 * skill packages, of the host's own. And they do so again when what is declared is something else.
 */
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { JSON_HEADERS, knock, modern, openSession } from "../transport/client-for-tests.ts";
import { runCli } from "./gated-doors-for-tests.ts";
import { declare, IMPORT, FREE, makeGatedPlace, startGated, tool, type Json } from "./gated-host-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const EXAMPLES = fileURLToPath(new URL("../../../examples/skills", import.meta.url));

/** By name, what it requires and lacks; null: nothing is said of it. */
type Said = Readonly<Record<string, readonly [required: readonly string[], missing: readonly string[]]>>;

const TOOLS = [
  IMPORT,
  FREE,
  tool("twice", ["usd", "", "usd", "viewport"]),
  tool("empty", ["", ""]),
  tool("cased", ["USD", "scene", "*"]),
  tool("bad", "usd"),
];
const SETTINGS = {
  skillDirs: [EXAMPLES],
  chp: { fixtures: true },
  capabilities: {
    declared: ["usd", "scene.read"],
    require: { "files__*": ["filesystem.read"], conformance__risky: ["risk", "usd"] },
    providers: { files: ["filesystem.read"], maya: ["scene.mutate"] },
  },
};
const OTHERS: readonly (readonly string[])[] = [
  ["usd", "scene.read"],
  [],
  ["filesystem.write", "filesystem.read", "scene.mutate", "usd", "viewport", "risk"],
];

const pairOf = (said: Json | undefined): readonly [string[], string[]] => {
  if (said !== undefined && "missing_capabilities" in said) expect(said["missing_capabilities"]).not.toEqual([]);
  return [said?.["required_capabilities"] ?? [], said?.["missing_capabilities"] ?? []];
};

const saidOf = (entries: readonly Json[], name: (entry: Json) => string, said: (entry: Json) => Json): Said =>
  Object.fromEntries(entries.map((entry) => [name(entry), pairOf(said(entry))]));

const flatOf = ({ name }: Json): string => name;

/** A bundle's malformed declaration is shown as it came; then nothing is computed from it. */
const dccOf = ({ _meta }: Json): Json => (Array.isArray(_meta?.dcc?.required_capabilities) ? _meta.dcc : {});

const overMcp = async ({ origin, key }: WholeHost): Promise<readonly Said[]> => {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${key}` };
  const session = await openSession(origin, "2025-11-25", "/mcp", key);
  const legacy = (await session.call("tools/list")).json.result.tools as Json[];
  const listed = (await knock(origin, modern("tools/list", {}, headers))).json.result.tools as Json[];
  const own: Record<string, readonly [string[], string[]]> = {};
  for (const provider of new Set(listed.map(({ name }) => name.split("__")[0] as string))) {
    const path = `/mcp/providers/${provider}`;
    const { result } = (await knock(origin, { path, ...modern("tools/list", {}, headers) })).json as Json;
    Object.assign(
      own,
      saidOf(result.tools, ({ name }) => `${provider}__${name}`, dccOf),
    );
  }
  return [saidOf(legacy, flatOf, dccOf), saidOf(listed, flatOf, dccOf), own];
};

const overRest = async (host: WholeHost): Promise<readonly Said[]> => {
  const { tools } = (await host.rest("GET", "/v1/tools")).json as { tools: Json[] };
  const program = host.tools().map(({ name, required, missing }) => [name, [required, missing]]);
  const seen: readonly Said[] = [saidOf(tools, flatOf, (row) => row), Object.fromEntries(program) as Said];
  const satisfied = (await host.rest("GET", "/v1/tools?satisfied=true")).json.tools as Json[];
  // Of what cannot be read nobody knows that nothing is missing.
  expect(satisfied).toEqual(tools.filter((row) => !("missing_capabilities" in row) && row["name"] !== "maya__bad"));
  const { skills } = (await host.rest("GET", "/v1/skills")).json as { skills: Json[] };
  expect(skills.map(({ name }) => name)).toEqual(["machine-facts", "text-tools", "bailiwick"]);
  for (const skill of skills) {
    const pairs = (skill["tools"] as string[]).map((name) => seen[0]?.[name]);
    const union = (at: 0 | 1): string[] => [...new Set(pairs.flatMap((pair) => pair?.[at] ?? []))].toSorted();
    expect([skill["required_capabilities"], skill["missing_capabilities"]]).toEqual([union(0), union(1)]);
  }
  return seen;
};

const metadataOf = ({ metadata }: Json): Json => metadata;
/** The conformance fixtures have outward names of their own. */
const flatOfId = ({ id }: Json): string => id.replace(/^conformance\./, "conformance__");

const overChp = async (host: WholeHost): Promise<readonly Said[]> => {
  const { json: manifest } = await host.rest("GET", "/chp/host");
  const { json: list } = await host.rest("GET", "/chp/capabilities");
  return [manifest, list].map(({ capabilities }) => saidOf(capabilities, flatOfId, metadataOf));
};

const outside = ({ stages }: Json): Json => {
  const { status, why, next } = stages.find((each: Json) => each["stage"] === 5);
  return { status, why, next };
};

/** What is explained of each tool at each door, and what the gate says when it is called. */
const holdGate = async (host: WholeHost, said: Said): Promise<void> => {
  const disabled = new Set(host.tools().flatMap(({ name, state }) => (state === "disabled" ? [name] : [])));
  for (const [name, [required, missing]] of Object.entries(said)) {
    const ask = { name, arguments: {} };
    const capability_id = name.replace(/^conformance__/, "conformance.");
    const explained = [
      (await host.rest("POST", "/v1/tools/explain", ask)).json as Json,
      (await host.rest("POST", "/chp/explain", { capability_id, payload: {} })).json as Json,
      (await host.explain(name, {})) as unknown as Json,
    ].map(outside);
    const isBad = name === "maya__bad";
    for (const { status } of explained)
      expect([name, status]).toEqual([name, missing.length > 0 || isBad ? "fail" : "pass"]);
    if (missing.length === 0) continue;
    const { status, json } = await host.rest("POST", "/v1/tools/call", ask);
    if (disabled.has(name)) {
      expect(json).toMatchObject({ error: "disabled" });
      continue;
    }
    expect([name, status, json.data.required, json.data.missing]).toEqual([name, 422, required, missing]);
    const [rest, chp, program] = explained;
    expect([rest, program]).toEqual([rest, rest]);
    expect(rest).toEqual({ status: "fail", why: json.message, next: json.remedy });
    expect(chp?.["next"]).toBe(json.remedy);
  }
};

it("every list, description, explanation and refusal of a tool names the same capabilities", async () => {
  const place = makeGatedPlace({ tools: TOOLS, settings: SETTINGS });
  const host = await startGated(place);
  await until(() => host.tools().some(({ provider }) => provider === "text-tools"));
  const providers = new Set(host.tools().map(({ provider }) => provider));
  expect([...providers].toSorted()).toEqual(
    expect.arrayContaining(["conformance", "files", "machine-facts", "maya", "text-tools"]),
  );
  for (const declared of OTHERS) {
    await declare(host, ...declared);
    const [first = {}, ...rest] = [...(await overMcp(host)), ...(await overRest(host)), ...(await overChp(host))];
    for (const said of rest) expect(said).toEqual(first);
    for (const [required, missing] of Object.values(first))
      for (const each of missing) expect(required).toContain(each);
    const here = new Set([...declared, "scene.mutate"]);
    const lacks = (names: readonly string[]): string[] => names.filter((each) => !here.has(each));
    expect(first).toMatchObject({
      maya__free: [[], []],
      maya__bad: [[], []],
      maya__twice: [["usd", "", "usd", "viewport"], lacks(["usd", "usd", "viewport"])],
      maya__empty: [["", ""], []],
      maya__cased: [
        ["USD", "scene", "*"],
        ["USD", "scene", "*"],
      ],
    });
    await holdGate(host, first);
  }
  expect(place.effects()).toEqual([]);
}, 60_000);

it("the terminal says the same, of all tools and of those that lack nothing", async () => {
  const place = makeGatedPlace({ tools: TOOLS, settings: SETTINGS });
  const host = await startGated(place);
  const read = async (...args: readonly string[]): Promise<Json> =>
    JSON.parse((await runCli(place, ...args)).out) as Json;
  for (const query of ["", "?satisfied=true"]) {
    const { tools } = (await host.rest("GET", `/v1/tools${query}`)).json as Json;
    expect(await read("tools", "--json", ...(query === "" ? [] : ["--satisfied"]))).toEqual({ tools });
  }
  for (const name of ["maya__import_usd", "maya__free", "maya__bad", "text-tools__sort_lines"]) {
    const { json } = await host.rest("POST", "/v1/tools/explain", { name, arguments: {} });
    expect(outside(await read("explain", name, "{}", "--json"))).toEqual(outside(json));
  }
}, 60_000);
