import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WorkspaceResolveError } from "@bailiwick/contract";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { RootList } from "../../kernel/roots.ts";
import { rootListOf } from "../../kernel/roots-for-tests.ts";
import type { Permitted } from "../../kernel/stages.ts";
import { resolvePaths } from "./resolve-paths.ts";
import { schemaDefect } from "./schema-defect.ts";

/** Marks what was taken for a path. */
const MARKING = {
  rows: [],
  resolve: (path: string) => {
    if (path === "no") throw new WorkspaceResolveError("path_outside_roots", "it leads out", { path });
    return path.startsWith("/") ? path : `/r/${path}`;
  },
} as unknown as RootList;

const sentOf = (inputSchema: unknown, argsJson: string, roots = MARKING): string | null =>
  resolvePaths(
    {
      args: JSON.parse(argsJson) as object,
      argsJson: rawJson(argsJson),
      target: { flatName: "p__t", tool: { definition: "sha256:0", value: { name: "t", inputSchema } } },
    } as unknown as Permitted,
    roots,
  );

const PATH = { type: "string", format: "workspace-path" };
const TREE = {
  $defs: { node: { properties: { at: PATH, children: { type: "array", items: { $ref: "#/$defs/node" } } } } },
  $ref: "#/$defs/node",
};
/** As text: an object with a `then` could be taken for a promise. */
const WHEN = JSON.parse(
  '{"if":{"properties":{"k":{"const":1}}},"then":{"properties":{"p":{"format":"workspace-path"}}}}',
) as object;
const KINDS = {
  oneOf: [
    { properties: { kind: { const: "file" }, target: PATH } },
    { properties: { kind: { enum: ["url", "text"] }, target: { type: "string" } } },
  ],
};

describe("arguments that are paths", () => {
  it.each<[string, object, string, string | null]>([
    ["a property", { properties: { p: PATH } }, '{"p":"a","q":"b"}', '{"p":"/r/a","q":"b"}'],
    ["that are absolute", { properties: { p: PATH } }, '{"p":"/a"}', null],
    ["that are not there", { properties: { p: PATH } }, '{"q":"b"}', null],
    ["of another type", { properties: { p: { format: "workspace-path" } } }, '{"p":5}', null],
    ["in lists", { properties: { p: { items: PATH } } }, '{"p":["a","b"]}', '{"p":["/r/a","/r/b"]}'],
    [
      "by place",
      { properties: { p: { prefixItems: [true, PATH], items: false } } },
      '{"p":["a","b"]}',
      '{"p":["a","/r/b"]}',
    ],
    [
      "by place, in the older way",
      { $schema: "http://json-schema.org/draft-07/schema#", properties: { p: { items: [{}, PATH] } } },
      '{"p":["a","b","c"]}',
      '{"p":["a","/r/b","c"]}',
    ],
    [
      "behind those by place",
      { properties: { p: { prefixItems: [{}], items: PATH } } },
      '{"p":["a","b"]}',
      '{"p":["a","/r/b"]}',
    ],
    ["in any member", { additionalProperties: PATH }, '{"p":"a"}', '{"p":"/r/a"}'],
    [
      "in any other member",
      { properties: { q: true }, additionalProperties: PATH },
      '{"q":"a","p":"b"}',
      '{"q":"a","p":"/r/b"}',
    ],
    ["by pattern", { patternProperties: { "^p_": PATH } }, '{"p_1":"a","P_2":"b"}', '{"p_1":"/r/a","P_2":"b"}'],
    [
      "deep inside",
      { properties: { a: { properties: { b: { items: { properties: { p: PATH } } } } } } },
      '{"a":{"b":[{"p":"x"}]}}',
      '{"a":{"b":[{"p":"/r/x"}]}}',
    ],
    [
      "by reference",
      { $defs: { "a/b c": PATH }, properties: { p: { $ref: "#/$defs/a~1b%20c" } } },
      '{"p":"a"}',
      '{"p":"/r/a"}',
    ],
    [
      "by anchor",
      { $defs: { x: { $anchor: "file", ...PATH } }, properties: { p: { $ref: "#file" } } },
      '{"p":"a"}',
      '{"p":"/r/a"}',
    ],
    [
      "in a tree",
      TREE,
      '{"at":"a","children":[{"children":[{"at":"b"}]}]}',
      '{"at":"/r/a","children":[{"children":[{"at":"/r/b"}]}]}',
    ],
    [
      "in all of several",
      { allOf: [{ properties: { p: PATH } }, { properties: { p: { minLength: 1 } } }] },
      '{"p":"a"}',
      '{"p":"/r/a"}',
    ],
    ["in one of several", { properties: { p: { anyOf: [{ type: "null" }, PATH] } } }, '{"p":"a"}', '{"p":"/r/a"}'],
    ["where they are of that kind", KINDS, '{"kind":"file","target":"a"}', '{"kind":"file","target":"/r/a"}'],
    ["where they are of another kind", KINDS, '{"kind":"url","target":"a"}', null],
    ["where no kind is told", KINDS, '{"target":"a"}', '{"target":"/r/a"}'],
    ["under a condition", WHEN, '{"k":1,"p":"a"}', '{"k":1,"p":"/r/a"}'],
    ["under a condition that is not met", WHEN, '{"k":2,"p":"a"}', null],
    ["else", { if: { required: ["k"] }, else: { properties: { p: PATH } } }, '{"p":"a"}', '{"p":"/r/a"}'],
    [
      "named like what every object has",
      { properties: { constructor: PATH } },
      '{"constructor":"a","toString":"b"}',
      '{"constructor":"/r/a","toString":"b"}',
    ],
  ])("are found: %s", (_, schema, args, expected) => {
    expect(sentOf(schema, args)).toBe(expected);
  });

  it("are replaced where they stand; all else stays byte for byte", () => {
    const schema = { properties: { "p\u00e9": PATH, l: { items: PATH } } };
    const args =
      '{ "n":1.50e+2 ,"p\\u00e9" : "a\\u0062\\n" , "l":[ "x","\\u002fabs" ],"o":{"p":"a"},"e":"\\ud83d\\ude00"}';
    expect(sentOf(schema, args)).toBe(args.replace('"a\\u0062\\n"', '"/r/ab\\n"').replace('"x"', '"/r/x"'));
  });

  it("that are refused are told as they were given", () => {
    const no = (() => {
      try {
        return sentOf({ properties: { p: { items: PATH } } }, '{"p":["a","no"]}');
      } catch (error) {
        return error;
      }
    })();
    expect(no).toBeInstanceOf(Refusal);
    expect(no).toMatchObject({ kind: "path_outside_roots", details: { path: "no" } });
  });

  it("are many, and each root is looked at once for all of them", () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-many-")));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const names = Array.from({ length: 64 }, (_, index) => `r${index}`);
    for (const name of names) mkdirSync(join(dir, name));
    const roots = rootListOf(Object.fromEntries(names.map((name) => [name, join(dir, name)])));
    const paths = Array.from({ length: 200 }, (_, index) => join(dir, "r63", String(index)));
    const looked = vi.spyOn(realpathSync, "native");
    onTestFinished(() => looked.mockRestore());
    expect(sentOf({ properties: { p: { items: PATH } } }, JSON.stringify({ p: paths }), roots)).toBeNull();
    for (const name of names) expect(looked.mock.calls.filter(([path]) => path === join(dir, name))).toHaveLength(1);
  });

  it.each([
    ["are too many", { p: Array.from({ length: 201 }, () => "a") }],
    ["are too long together", { p: Array.from({ length: 20 }, () => "a".repeat(4_000)) }],
  ])("that %s are refused before the disk is looked at", (_, args) => {
    expect(() => sentOf({ properties: { p: { items: PATH } } }, JSON.stringify(args))).toThrow(/send fewer at once/);
  });

  it("of a schema that leads to itself in circles are found, and the search ends", () => {
    const circle = { $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { anyOf: [{ $ref: "#/$defs/a" }, PATH] } } };
    const schema = { ...circle, properties: { p: { $ref: "#/$defs/a" } } };
    expect(sentOf(schema, '{"p":"a"}')).toBe('{"p":"/r/a"}');
    const wide = {
      $defs: {
        n: {
          additionalProperties: { $ref: "#/$defs/n" },
          allOf: Array.from({ length: 900 }, () => ({ $ref: "#/$defs/n" })),
          ...PATH,
          type: ["object", "string"],
        },
      },
      $ref: "#/$defs/n",
    };
    expect(sentOf(wide, '{"a":{"b":{"c":"x"}}}')).toBe('{"a":{"b":{"c":"/r/x"}}}');
  });

  it("cannot hide behind another document", () => {
    const foreign = { $defs: { x: { $id: "https://x.test/s", $ref: "#/$defs/y", $defs: { y: PATH } } } };
    for (const schema of [
      { ...foreign, properties: { p: { $ref: "#/$defs/x" } } },
      { $id: "https://x.test/", properties: { p: { $ref: "https://x.test/#/$defs/y" } }, $defs: { y: PATH } },
    ])
      expect(schemaDefect(schema)).toContain("schema_unsupported");
    expect(schemaDefect({ $id: "https://x.test/", properties: { p: PATH, q: { $ref: "#/properties/p" } } })).toBeNull();
    expect(schemaDefect({ properties: { p: { $ref: "https://x.test/" } } })).toBeNull();
  });

  it("and nothing else: what was sent differs from what came in paths alone", () => {
    const schema = { properties: { p: PATH, l: { items: PATH }, o: { additionalProperties: PATH } } };
    const value = fc.record(
      {
        p: fc.string(),
        l: fc.array(fc.string(), { maxLength: 3 }),
        o: fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
        other: fc.jsonValue({ maxDepth: 3 }),
      },
      { requiredKeys: [] },
    );
    const mark = (text: string): string => (text === "no" ? text : MARKING.resolve(text));
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2), (args, indent) => {
        const text = JSON.stringify(args, null, indent);
        const { p, l, o, ...rest } = JSON.parse(text) as typeof args;
        fc.pre(![p, ...(l ?? []), ...Object.values(o ?? {})].includes("no"));
        const expected = {
          ...rest,
          ...(p === undefined ? {} : { p: mark(p) }),
          ...(l === undefined ? {} : { l: l.map(mark) }),
          ...(o === undefined
            ? {}
            : { o: Object.fromEntries(Object.entries(o).map(([key, each]) => [key, mark(each)])) }),
        };
        expect(JSON.parse(sentOf(schema, text) ?? text)).toEqual(expected);
      }),
    );
  });
});
