/** Never parsed and ignored: each key of `tools.yaml` and of `metadata.dcc-mcp` changes something that can be seen from outside. */
import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { TOOL_KEYS } from "../skills/packages/tool-keys.ts";
import { makePackagesPlace, openPackagesDoors, SKILL_MD, stateOf, type Json } from "./packages-place-for-tests.ts";
import type { PackagesPlace } from "./packages-place-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const TOOLS = `tools:
  - name: full
    description: Says what it is.
    input_schema: {type: object, properties: {n: {type: integer}}, additionalProperties: false}
    output_schema: {type: object, properties: {tool: {type: string}}, required: [tool]}
    required_capabilities: [usd]
    annotations: {title: All of it, open-world-hint: false}
    source_file: other/place.sh
    execution: async
    timeout_hint_secs: 7
    risk: host_script_execution
    side_effects: [writes a line]
    call_examples: [{arguments: {n: 1}, note: one}]
    search_aliases: [uncommon phrase]
    next-tools: {on-success: [keys__plain], on-failure: [keys__hints]}
    produces: [a line]
    requires: [a pen]
    intent: to be seen
    tool_role: witness
  - name: hints
    read_only: true
    destructive: false
    idempotent: true
    affinity: main
    side_effects: one line
  - name: off
    group: extra
    side_effects: {files: 1}
  - plain
groups: [{name: extra, description: More., tools: [off]}]
`;
const SKILL = SKILL_MD(
  "keys",
  `    dcc: maya
    version: 2.5.0
    tags: scenes, stages
    depends: [base]
    products: [maya-2026]
    search-aliases: [package phrase]
    search-hint: what one looks for
    env: [KEYS_TOKEN]
    tools: tools.yaml
`,
).replace("    tools: tools.yaml\n", "");
const say = (script: string): string =>
  `cat > input; echo in >> turns; sleep 0.1; echo out >> turns; echo "$1 by ${script}" >> runs; printf '{"tool":"%s"}' "$1"`;

let place: PackagesPlace;
let host: WholeHost;
let mcp: ReadonlyMap<string, Json>;
let chp: ReadonlyMap<string, Json>;
beforeEach(async () => {
  place = makePackagesPlace({ capabilities: { declared: ["usd"] } });
  place.put("keys", {
    "SKILL.md": SKILL,
    "tools.yaml": TOOLS,
    "other/place.sh": say("place"),
    "scripts/all.sh": say("all"),
  });
  host = await place.start();
  const doors = await openPackagesDoors(host);
  mcp = new Map((await doors[0]!.list()).map((each) => [String(each["name"]), each]));
  chp = new Map((await doors.at(-1)!.list()).map((each) => [String(each["id"]), each]));
});

const call = (name: string, args: object = {}, key = host.key) =>
  host.rest("POST", "/v1/tools/call", { name, arguments: args }, { authorization: `Bearer ${key}` });
const listed = (name: string): Json => mcp.get(`keys__${name}`) ?? {};
const described = (name: string): Json => chp.get(`keys__${name}`) ?? {};
const dccOf = (name: string): Json => listed(name)["_meta"].dcc as Json;
const saidOf = (name: string): Json => described(name)["metadata"].dcc as Json;

/** By key: what is seen of it, and what that has to be. */
const SEEN: Readonly<Record<string, () => Promise<readonly [unknown, unknown]>>> = {
  name: async () => [[...mcp.keys()], expect.arrayContaining(["keys__full", "keys__plain"])],
  description: async () => [listed("full")["description"], "Says what it is."],
  input_schema: async () => [
    [
      (await call("keys__full", { n: "one" })).json.error,
      dccOf("full").incompleteSchema,
      dccOf("plain").incompleteSchema,
    ],
    ["invalid_input", undefined, true],
  ],
  output_schema: async () => [listed("full")["outputSchema"].required, ["tool"]],
  read_only: async () => [listed("hints")["annotations"].readOnlyHint, true],
  destructive: async () => [listed("hints")["annotations"].destructiveHint, false],
  idempotent: async () => [listed("hints")["annotations"].idempotentHint, true],
  annotations: async () => {
    const { title, annotations } = listed("full");
    return [
      { title, annotations },
      { title: "All of it", annotations: { title: "All of it", openWorldHint: false } },
    ];
  },
  source_file: async () => {
    await call("keys__full");
    return [place.left("keys", "runs").at(-1), "full by place"];
  },
  execution: async () => [listed("full")["execution"], { taskSupport: "optional" }],
  timeout_hint_secs: async () => {
    const before = Date.now();
    await call("keys__full");
    const { context } = JSON.parse(place.left("keys", "input").join("\n")) as Json;
    const given = Date.parse(context.deadline as string) - before;
    return [
      [dccOf("full").timeoutHintSecs, dccOf("plain").timeoutHintSecs, given >= 7_000 && given < 60_000],
      [7, 60, true],
    ];
  },
  "thread-affinity": async () => {
    await Promise.all(["hints", "hints", "hints"].map((tool) => call(`keys__${tool}`)));
    return [place.left("keys", "turns").slice(-6), ["in", "out", "in", "out", "in", "out"]];
  },
  group: async () => [
    [listed("off")["_meta"]["dev.bailiwick/lifecycle"].reason, (await stateOf(host, "keys"))["groups"]],
    ["group_inactive", [{ name: "extra", active: false, tools: ["off"] }]],
  ],
  risk: async () => {
    const { secret } = await host.keys.create({ name: "planner" });
    const [high, other] = [await call("keys__full", {}, secret), await call("keys__hints", {}, secret)];
    return [
      [described("full")["risk"], high.json.error, other.status],
      ["high", "approval_pending", 200],
    ];
  },
  side_effects: async () => [
    [described("full")["side_effects"], described("hints")["side_effects"], saidOf("off").side_effects],
    [["writes a line"], ["one line"], { files: 1 }],
  ],
  call_examples: async () => [saidOf("full").call_examples, [{ arguments: { n: 1 }, note: "one" }]],
  search_aliases: async () => [host.tools("uncommon phrase")[0]?.name, "keys__full"],
  "next-tools": async () => [(await call("keys__full")).json._meta.dcc.next_tools, { on_success: ["keys__plain"] }],
  produces: async () => [saidOf("full").produces, ["a line"]],
  requires: async () => [saidOf("full").requires, ["a pen"]],
  intent: async () => [saidOf("full").intent, "to be seen"],
  tool_role: async () => [saidOf("full").tool_role, "witness"],
  // The last: from then on it cannot be called.
  required_capabilities: async () => {
    await host.rest("PUT", "/v1/host/capabilities", { declared: [] });
    return [(await call("keys__full")).json.error, "capability_missing"];
  },
};

describe("never: a documented key that is parsed and ignored", () => {
  it("the table below has every key that an entry may have", () => {
    expect(Object.keys(SEEN).toSorted()).toEqual([...TOOL_KEYS.keys()].toSorted());
  });

  it("each of them stands in the table of docs/gates.md", () => {
    const page = readFileSync(new URL("../../../docs/gates.md", import.meta.url), "utf8");
    const [, table = ""] = /^## tools\.yaml$(.*?)^## /ms.exec(page) ?? [];
    const named = new Set(Array.from(table.matchAll(/`([\w-]+)`/g), ([, key = ""]) => key));
    expect([...TOOL_KEYS.keys()].filter((key) => !named.has(key))).toEqual([]);
  });

  it("each of them can be seen from outside", async () => {
    const [seen, wanted] = [new Map<string, unknown>(), new Map<string, unknown>()];
    for (const [key, look] of Object.entries(SEEN)) {
      const [found, expected] = await look();
      seen.set(key, found);
      wanted.set(key, expected);
    }
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(wanted));
  });

  it("what SKILL.md says under metadata.dcc-mcp can be seen too", async () => {
    const seen = await stateOf(host, "keys");
    expect(seen).toMatchObject({
      dcc: "maya",
      version: "2.5.0",
      env: [{ name: "KEYS_TOKEN", granted: false }],
      metadata: {
        tags: ["scenes", "stages"],
        depends: ["base"],
        products: ["maya-2026"],
        "search-hint": "what one looks for",
      },
      diagnostics: [{ pointer: "SKILL.md#/metadata/dcc-mcp/depends", warning: true }],
    });
    expect(described("plain")["version"]).toBe("2.5.0");
    expect(host.tools("package phrase").map(({ name }) => name)).toEqual(expect.arrayContaining(["keys__plain"]));
  });
});
