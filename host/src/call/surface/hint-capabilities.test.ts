import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Requirements } from "../../kernel/environment.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { findJsonDefect } from "../../kernel/scan-json.ts";
import { hintCapabilities } from "./hint-capabilities.ts";
import { openBench, OWNER, provider, type Bench } from "./sheets-for-tests.ts";
import { spliceEntry } from "./splice-entry.ts";

const NOTHING: Requirements = { required: [], missing: [] };
const SATISFIED: Requirements = { required: ["usd"], missing: [] };
const LACKING: Requirements = { required: ["usd", "gpu"], missing: ["gpu"] };
const hint = (meta: string, requirements: Requirements): string => hintCapabilities(rawJson(meta), requirements);
const LACKS = '"required_capabilities":["usd","gpu"],"missing_capabilities":["gpu"]';

describe("the hint", () => {
  it.each<[string, Requirements, string]>([
    ["{}", NOTHING, "{}"],
    ["{}", SATISFIED, '{"dcc":{"required_capabilities":["usd"]}}'],
    ["{}", LACKING, `{"dcc":{${LACKS}}}`],
    ['{ "x" : 1.0 }', LACKING, `{"dcc":{${LACKS}}, "x" : 1.0 }`],
    ['{"x":1,"dcc":null,"y":2}', NOTHING, '{"x":1,"dcc":null,"y":2}'],
    ['{"x":1,"dcc":null,"y":2}', LACKING, `{"x":1,"dcc":{${LACKS}},"y":2}`],
    ['{"dcc":{}}', NOTHING, '{"dcc":{}}'],
    ['{"dcc":{"a":1.0, "b":"\\u00e9"}}', NOTHING, '{"dcc":{"a":1.0, "b":"\\u00e9"}}'],
  ])("of %s with %j is %s", (meta, requirements, expected) => expect(hint(meta, requirements)).toBe(expected));

  it("leaves a tool's own list as it is written, where nothing is missing", () => {
    const meta = '{"a":0, "\\u0064cc" : { "z":1.0,"required_capabilities" : ["\\u0075sd"] } ,"b":[ ]}';
    expect(hint(meta, SATISFIED)).toBe(meta);
  });

  it("has the operator's names too, and leaves every other member as it came, in its place", () => {
    const meta = '{"a":12345678901234567890,"dcc":{"z":1.0e0,"required_capabilities":["usd"],"t":"caf\\u00e9"},"b":1}';
    expect(hint(meta, { required: ["usd", "gpu"], missing: [] })).toBe(
      '{"a":12345678901234567890,"dcc":{"required_capabilities":["usd","gpu"],"z":1.0e0,"t":"caf\\u00e9"},"b":1}',
    );
  });

  it.each([
    ['{"dcc":{"missing_capabilities":["x"]}}', "{}"],
    ['{"dcc":{"required_capabilities":[]}}', "{}"],
    ['{"dcc":{"required_capabilities":null,"missing_capabilities":[]},"a":1}', '{"a":1}'],
    ['{"dcc":{"a":1.0,"missing_capabilities":["x"],"b":2}}', '{"dcc":{"a":1.0,"b":2}}'],
    ['{"dcc":{"a":1,"\\u006dissing_capabilities":["x"]}}', '{"dcc":{"a":1}}'],
  ])("takes out of %s what only the host may say, of a tool that requires nothing", (meta, expected) => {
    expect(hint(meta, NOTHING)).toBe(expected);
  });

  it("takes out what an upstream says is missing, of a tool that has all it requires", () => {
    const forged = '{"dcc":{"required_capabilities":["usd"],"missing_capabilities":["usd"]}}';
    expect(hint(forged, SATISFIED)).toBe('{"dcc":{"required_capabilities":["usd"]}}');
  });

  it("leaves no second value under any of its keys, however they are written", () => {
    const inside = '"required_capabilities":["usd"],"\\u0072equired_capabilities":[],"missing_capabilities":[]';
    const text = hint(`{"dcc":{"required_capabilities":["no"]},"a":1,"d\\u0063c":{${inside}}}`, LACKING);
    expect(text).toBe(`{"dcc":{${LACKS}},"a":1}`);
    expect(hint('{"dcc":{"missing_capabilities":["x"]},"dcc":{"a":1}}', NOTHING)).toBe('{"dcc":{"a":1}}');
  });

  const requirements = fc
    .array(fc.tuple(fc.string({ maxLength: 5 }), fc.boolean()), { maxLength: 4 })
    .map((entries) => ({
      required: entries.map(([name]) => name),
      missing: entries.filter(([name, missing]) => missing && name !== "").map(([name]) => name),
    }));
  const json = fc.jsonValue({ maxDepth: 2 });
  const keys = fc.oneof(fc.constantFrom("required_capabilities", "missing_capabilities", "a"), fc.string());
  const dccs = fc.option(fc.dictionary(keys, json), { nil: undefined });

  it("changes nothing else, whatever stands there", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), dccs, requirements, (others, dcc, needs) => {
        const { dcc: _, ...rest } = others;
        const meta = dcc === undefined ? rest : { ...rest, dcc };
        const text = hint(JSON.stringify(meta), needs);
        expect(findJsonDefect(text, { maxDepth: 64, numbers: false })).toBeNull();
        const { dcc: now, ...kept } = JSON.parse(text) as Record<string, unknown>;
        expect(JSON.stringify(kept)).toBe(JSON.stringify(JSON.parse(JSON.stringify(rest))));
        const {
          required_capabilities: req,
          missing_capabilities: lacks,
          ...own
        } = (now ?? {}) as Record<string, unknown>;
        expect(req).toEqual(needs.required.length === 0 ? undefined : needs.required);
        expect(lacks).toEqual(needs.missing.length === 0 ? undefined : needs.missing);
        const { required_capabilities: _r, missing_capabilities: _m, ...said } = dcc ?? {};
        expect(JSON.stringify(own)).toBe(JSON.stringify(JSON.parse(JSON.stringify(said))));
      }),
    );
  });
});

describe("an entry", () => {
  const splice = (entry: string, requirements: Requirements | null): string =>
    spliceEntry(rawJson(entry), { name: null, meta: "", requirements });

  it("gets the hint beside its other _meta, or a _meta of its own", () => {
    expect(splice('{"name":"t"}', LACKING)).toBe(`{"_meta":{"dcc":{${LACKS}}},"name":"t"}`);
    expect(splice('{"_meta":{"x":1},"name":"t"}', LACKING)).toBe(`{"_meta":{"dcc":{${LACKS}},"x":1},"name":"t"}`);
    expect(splice('{ "name":"t" , "_meta":{ } }', NOTHING)).toBe('{ "name":"t" , "_meta":{ } }');
  });

  it.each(['{"dcc":7}', '{"dcc":["usd"]}', '{"x":1,"dcc":{"required_capabilities" : "usd","a":1.0}}', '{"x":1}'])(
    "stays as it is where nobody can read what it requires: %s",
    (meta) => {
      expect(splice(`{"name":"t","_meta":${meta}}`, null)).toBe(`{"name":"t","_meta":${meta}}`);
    },
  );

  it.each([
    ['{"required_capabilities":"usd","missing_capabilities":["x"]}', '{"required_capabilities":"usd"}'],
    ['{"a":1.0,"\\u006dissing_capabilities":[],"required_capabilities":7}', '{"a":1.0,"required_capabilities":7}'],
    ['{"missing_capabilities":["x"]}', "{}"],
  ])("says nothing of its own about what is missing, where nobody can read what it requires: %s", (dcc, kept) => {
    expect(splice(`{"name":"t","_meta":{"x":1.0,"dcc":${dcc}}}`, null)).toBe(
      `{"name":"t","_meta":{"x":1.0,"dcc":${kept}}}`,
    );
  });

  it("that is no tool says there what it likes", () => {
    const prompt = '{"name":"t","_meta":{"dcc":{"missing_capabilities":["x"]}}}';
    expect(spliceEntry(rawJson(prompt), { name: null, meta: "" })).toBe(prompt);
  });

  it("has one _meta, the one that the gates read", () => {
    const forged = '{"_meta":{"dcc":{"missing_capabilities":["x"]},"a":1},"name":"t","\\u005fmeta":{"b":1}}';
    expect(splice(forged, NOTHING)).toBe('{"name":"t","\\u005fmeta":{"b":1}}');
  });
});

describe("the hint on the sheet", () => {
  let bench: Bench;
  let missing: readonly string[];
  let generation: number;
  const rules = {
    capabilityOf: () => ({ id: "x", version: "1", allowedActors: [] }) as never,
    generation: () => generation,
    isOverlaid: () => false,
    flatNameOf: () => null,
    actorClass: () => "",
  };
  beforeEach(() => {
    [missing, generation] = [["gpu"], 0];
    bench = openBench({
      capabilities: rules,
      requirementsOf: (_, { name }) =>
        name === "plain" ? NOTHING : name === "odd" ? null : { required: ["usd", "gpu"], missing },
    });
    bench.registry.add(provider("p", { tools: ['{"name":"needy"}', '{"name":"odd"}', '{"name":"plain"}'] }));
  });
  const list = (on: string | null): unknown => JSON.parse(bench.sheets.of(OWNER, on)!.tools());

  it("stands on both kinds of endpoint, and a tool that lacks something is listed", () => {
    const dcc = { required_capabilities: ["usd", "gpu"], missing_capabilities: ["gpu"] };
    expect(list(null)).toEqual([{ name: "p__needy", _meta: { dcc } }, { name: "p__odd" }, { name: "p__plain" }]);
    expect(list("p")).toEqual([{ name: "needy", _meta: { dcc } }, { name: "odd" }, { name: "plain" }]);
  });

  it("is in the rows, which can be cut down to tools that have all they require", () => {
    const rows = bench.sheets.of(OWNER, null)!;
    expect(rows.rows().map(({ name, required, missing: lacks }) => [name, required, lacks])).toEqual([
      ["p__needy", ["usd", "gpu"], ["gpu"]],
      ["p__odd", [], []],
      ["p__plain", [], []],
    ]);
    expect(rows.rows(undefined, { satisfied: true }).map(({ name }) => name)).toEqual(["p__plain"]);
    expect(rows.rows("needy", { satisfied: true })).toEqual([]);
    expect(rows.rows("needy").map(({ name }) => name)).toEqual(["p__needy"]);
  });

  it.each([
    ["discoverable", undefined, false],
    ["hosted", undefined, false],
    ["discoverable", "https://host.example/connect", true],
    ["unavailable", undefined, true],
  ] as const)("of a tool that is %s with the link %s says whether to try again: %s", (state, link, retryable) => {
    const lifecycleOf = () => ({ state, reason: "why", next: null, retryAfterMs: null });
    const { registry, sheets } = openBench({ requirementsOf: () => LACKING, lifecycleOf });
    const p = provider("p", { tools: ['{"name":"needy"}'] });
    registry.add({ ...p, status: () => ({ ...p.status(), ...(link === undefined ? {} : { link }) }) });
    const [tool] = JSON.parse(sheets.of(OWNER, null)!.tools()) as { _meta: Record<string, object> }[];
    expect(tool?._meta["dev.bailiwick/lifecycle"]).toMatchObject({ state, retryable });
  });

  it("makes another surface of it when something else is missing, and the same when it is as before", () => {
    const { token } = bench.sheets.of(OWNER, null)!;
    [missing, generation] = [[], 1];
    const sheet = bench.sheets.of(OWNER, null)!;
    expect(sheet.token).not.toBe(token);
    expect(sheet.tools()).not.toContain("missing_capabilities");
    [missing, generation] = [["gpu"], 2];
    expect(bench.sheets.of(OWNER, null)!.token).toBe(token);
  });
});
