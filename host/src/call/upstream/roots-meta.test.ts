import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rawJson, rawMembers } from "../../kernel/raw-json.ts";
import { membersOf } from "../../kernel/scan-json.ts";
import { rootsMeta } from "./roots-meta.ts";

const OURS = rawJson('{"profile":"strict","roots":[]}');
const said = (meta: string, roots: string | null): string =>
  rootsMeta(rawMembers(meta), roots === null ? null : rawJson(roots));

describe("what a request says of roots", () => {
  it.each([
    ["", "", `"dcc":{"workspace_roots":${OURS}}`],
    ['"a":1', '"a":1', `"a":1,"dcc":{"workspace_roots":${OURS}}`],
    ['"dcc":{"x":1.0}', '"dcc":{"x":1.0}', `"dcc":{"workspace_roots":${OURS},"x":1.0}`],
    ['"dcc":{}', '"dcc":{}', `"dcc":{"workspace_roots":${OURS}}`],
    ['"dcc":{"workspace_roots":"/"}', '"dcc":{}', `"dcc":{"workspace_roots":${OURS}}`],
    ['"dcc": {"workspace_roots":1, "x" : 2}', '"dcc": {"x" : 2}', `"dcc": {"workspace_roots":${OURS},"x" : 2}`],
    ['"dcc":{"\\u0077orkspace_roots":1,"x":"\\u00e9"}', '"dcc":{"x":"\\u00e9"}', null],
    ['"\\u0064cc":{"workspace_roots":1}', '"\\u0064cc":{}', null],
    ['"dcc":{"workspace_roots":1},"dcc":{"workspace_roots":2,"y":3}', '"dcc":{},"dcc":{"y":3}', null],
    ['"dcc":5', '"dcc":5', `"dcc":{"workspace_roots":${OURS}}`],
    ['"dcc":["workspace_roots"]', '"dcc":["workspace_roots"]', `"dcc":{"workspace_roots":${OURS}}`],
    ['"note":"\\"dcc\\":{\\"workspace_roots\\":1}"', '"note":"\\"dcc\\":{\\"workspace_roots\\":1}"', null],
  ])("for %s", (meta, without, withOurs) => {
    expect(said(meta, null)).toBe(without);
    if (withOurs !== null) expect(said(meta, OURS)).toBe(withOurs);
    expect(JSON.parse(`{${said(meta, OURS)}}`)).toMatchObject({ dcc: { workspace_roots: JSON.parse(OURS) } });
  });

  it("is null where there is no usable root", () => {
    expect(said('"dcc":{"workspace_roots":{"roots":["/"]}}', "null")).toBe('"dcc":{"workspace_roots":null}');
  });

  it("never is the caller's, in whichever of several blocks a reader looks", () => {
    const key = fc.constantFrom('"dcc"', '"\\u0064cc"', '"d\\u0063c"', '"other"');
    const inner = fc.constantFrom('"workspace_roots":"forged"', '"workspace\\u005froots":"forged"', '"x":1', '"y":{}');
    const block = fc.array(inner, { maxLength: 4 }).map((members) => `{${members.join(",")}}`);
    const member = fc.tuple(key, fc.oneof(block, fc.constant("7"))).map(([name, value]) => `${name}:${value}`);
    fc.assert(
      fc.property(fc.array(member, { maxLength: 4 }), fc.boolean(), (members, ours) => {
        const meta = said(members.join(","), ours ? OURS : null);
        const blocks = membersOf(`{${meta}}`).filter(({ key: name }) => name === "dcc");
        for (const { start, end } of blocks) {
          const text = `{${meta}}`.slice(start, end);
          const roots = text.startsWith("{")
            ? membersOf(text).filter(({ key: name }) => name === "workspace_roots")
            : [];
          expect(roots.map((root) => text.slice(root.start, root.end))).toEqual(ours ? [OURS] : []);
        }
        expect(blocks.length > 0 || !ours).toBe(true);
      }),
    );
  });
});
