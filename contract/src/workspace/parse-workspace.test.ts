import { describe, expect, it } from "vitest";
import { formatFinding } from "../config/finding.ts";
import { parseConfig } from "../config/parse-config.ts";
import { parseWorkspace } from "./parse-workspace.ts";

const HOST = parseConfig('{"sandbox":{"profile":"bwrap","network":"none"}}', { dialect: "bailiwick" }).config!;
const parse = (value: unknown) => parseWorkspace(JSON.stringify(value), HOST);
const errorsOf = (value: unknown): string[] => parse(value).errors.map(formatFinding);

describe("workspace.json", () => {
  it("may be empty: then it has no members and no bundles of its own", () => {
    expect(parse({})).toMatchObject({
      workspace: { members: [], bundles: [], noDefaultBundles: false, skillDirs: [], agents: {} },
      errors: [],
      warnings: [],
    });
  });

  it("takes the keys of a workspace, and gives entries the host's sandbox unless they have their own", () => {
    const { workspace, errors, warnings } = parse({
      name: "Sales",
      members: ["person:ann", "agent://triage", "service:billing", "person:auth0%7C7"],
      bundles: [{ path: "./a" }, { path: "./b", sandbox: "off" }],
      noDefaultBundles: true,
      skillDirs: ["skills"],
      agents: { helper: { description: "d", systemPrompt: "s", tools: [] } },
      identity: "We sell.",
      policy: { rules: [] },
    });
    expect([errors, warnings]).toEqual([[], []]);
    expect(workspace?.members).toEqual(["person:ann", "agent:triage", "service:billing", "person:auth0%7C7"]);
    const [a, b] = workspace?.bundles ?? [];
    expect(a).toMatchObject({ kind: "path", path: "./a", sandbox: { profile: "bwrap", network: "none" } });
    expect(b).toMatchObject({ kind: "path", sandbox: { profile: "off", network: "none" } });
    expect(workspace?.given).toContain("/policy");
    expect(Object.isFrozen(workspace?.bundles)).toBe(true);
  });

  it("may begin with a byte order mark", () => {
    expect(parseWorkspace('\ufeff{"name":"x"}', HOST).workspace?.name).toBe("x");
  });

  it.each([
    ["a syntax error", '{"members": [}', /1/],
    ["a list instead of an object", "[]", /one JSON object/],
    ["a key that is there twice", '{"members":[],"members":["person:eve"]}', /members/],
  ])("is refused whole for %s", (_, text, told) => {
    const { workspace, errors } = parseWorkspace(text, HOST);
    expect(workspace).toBeNull();
    expect(errors.map(formatFinding).join("\n")).toMatch(told);
  });

  it.each([
    "ann",
    "bundle:x",
    "app:x",
    "person:",
    "person: ann",
    "person:/ann",
    "person:a\nb",
    "person:auth0|7",
    "Person:ann",
    7,
    { id: "person:ann" },
  ])("knows no member %j", (member) => {
    expect(errorsOf({ members: ["person:ann", member] })).toEqual([
      expect.stringMatching(/^\/members\/1: expected a principal such as person:ann/),
    ]);
  });

  it.each(["agent:mcp-client", "agent://mcp-client", "agent:local", "agent://local"])(
    "takes %s for no member, since it is everybody's, and says whom to list",
    (member) => {
      expect(errorsOf({ members: ["person:ann", member] })).toEqual([
        expect.stringMatching(/^\/members\/1: .*list the person/),
      ]);
      expect(errorsOf({ members: [`${member}-of-ann`] })).toEqual([]);
    },
  );

  it("says which entry gives several sources, as the host's file does", () => {
    expect(errorsOf({ bundles: [{ name: "a", path: "b" }] })).toContain(
      "/bundles/0: give exactly one of name, path, url (found name, path)",
    );
  });

  it("refuses a misspelt restriction, and only warns of other unknown keys with the nearest name", () => {
    expect(errorsOf({ policy: { rule: [] } })).toEqual([expect.stringContaining('did you mean "rules"?')]);
    const { workspace, warnings } = parse({ member: [], http: { port: 1 } });
    expect(workspace).not.toBeNull();
    expect(warnings.map(formatFinding)).toEqual([
      '/member: unknown key, ignored; did you mean "members"?',
      "/http: unknown key, ignored",
    ]);
  });
});
