import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Operation } from "./call.ts";
import { rawJson } from "./raw-json.ts";
import { entryToEndpoint, fromEndpointUri, toEndpoint, toEndpointUri } from "./rewrite-uris.ts";

const result = (text: string, operation: Operation = "call"): string => toEndpoint(rawJson(text), "p", operation);

describe("a URI on all providers' endpoint", () => {
  it.each([
    ["ui://app.html", "ui://p/app.html"],
    ["ui://p/app.html", "ui://p/p/app.html"],
    ["ui://other/app.html", "ui://p/other/app.html"],
    ["ui://../other/x", "ui://p/../other/x"],
    ["ui://", "ui://p/"],
    ["ui:///x", "ui://p//x"],
    ["skill://a/SKILL.md", "skill://p/a/SKILL.md"],
    ["UI://x", "UI://p/x"],
    ["ui://{name}/x", "ui://p/{name}/x"],
    ["https://ui://x", "https://ui://x"],
    ["ui:x", "ui:x"],
    ["gui://x", "gui://x"],
    ["", ""],
  ])("%s is %s", (own, shown) => expect(toEndpointUri(own, "p")).toBe(shown));

  it.each([
    ["ui://evil/../x", "evil", "ui://../x"],
    ["ui://p/", "p", "ui://"],
    ["ui://p//x", "p", "ui:///x"],
    ["ui://p", "", "ui://p"],
    ["ui:///x", "", "ui://x"],
    ["ui://%70/x", "%70", "ui://x"],
    ["ui://p?/x", "p?", "ui://x"],
  ])("%s names %j and nothing is resolved, decoded or trimmed", (shown, provider, uri) => {
    expect(fromEndpointUri(shown)).toEqual({ provider, uri });
  });

  it("is of another kind without one of the two schemes", () => {
    for (const uri of ["file:///x", "uix://p/x", "ui:/p/x", "https://p/ui://x"])
      expect(fromEndpointUri(uri)).toBeNull();
  });

  it("comes back byte for byte, whatever stands behind the scheme", () => {
    const provider = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,47}$/);
    const uri = fc
      .tuple(fc.constantFrom("ui://", "skill://", "Ui://"), fc.string({ unit: "binary" }))
      .map((p) => p.join(""));
    fc.assert(
      fc.property(provider, uri, (name, own) => {
        expect(fromEndpointUri(toEndpointUri(own, name))).toEqual({ provider: name, uri: own });
      }),
    );
  });
});

describe("a result on all providers' endpoint", () => {
  it("has its links rewritten and every other byte as it came", () => {
    const text =
      ' { "content" : [ {"type":"resource_link","uri" : "ui://a\\u00e9/b","n":1.0},' +
      '{"resource":{"uri":"skill://s/SKILL.md","text":"see ui://a"},"type":"resource","_meta":{"ui":{"resourceUri":"ui://c"}}}],' +
      '"_meta":{"ui":{"resourceUri":"ui://d","x":"ui://d"},"ui/resourceUri":"ui://e"},"big":12345678901234567890 } ';
    expect(result(text)).toBe(
      text
        .replace('"ui://a\\u00e9', '"ui://p/a\\u00e9')
        .replace("skill://s", "skill://p/s")
        .replace('"resourceUri":"ui://c', '"resourceUri":"ui://p/c')
        .replace('"resourceUri":"ui://d', '"resourceUri":"ui://p/d')
        .replace("ui://e", "ui://p/e"),
    );
  });

  it.each([
    '{"content":[{"type":"text","text":"ui://a"}]}',
    '{"content":[{"type":"text","text":"<a href=\\"ui://a\\">","uri":"ui://a"}]}',
    '{"content":[{"type":"holo","uri":"ui://a","resource":{"uri":"ui://a"}}]}',
    '{"content":[{"type":["resource_link"],"uri":"ui://a"}]}',
    '{"content":[{"uri":"ui://a"}]}',
    '{"content":[],"structuredContent":{"uri":"ui://a","_meta":{"ui":{"resourceUri":"ui://a"}}}}',
    '{"content":[[{"type":"resource_link","uri":"ui://a"}]],"uri":"ui://a","contents":[{"uri":"ui://a"}]}',
    '{"content":{"type":"resource_link","uri":{"a":"ui://a"}},"note":"ui://a"}',
    '{"content":[{"type":"resource_link","uri":"https://ui://a"},null,7,"ui://a"],"_meta":"ui://a"}',
  ])("is untouched where no URI of the protocol stands: %s", (text) => expect(result(text)).toBe(text));

  it("is rewritten where the server escapes its slashes or its letters", () => {
    const link = (uri: string): string => `{"content":[{"type":"resource_link","uri":"${uri}"}],"note":"ui://"}`;
    expect(JSON.parse(result(link("ui:\\/\\/a\\/b")))).toEqual(JSON.parse(link("ui://p/a/b")));
    expect(JSON.parse(result(link("\\u0075i://a\\n")))).toEqual(JSON.parse(link("ui://p/a\\n")));
    expect(result('{"content":[{"type":"resource_link","uri":"ui:\\/\\/a"}]}')).toContain("ui://p/a");
  });

  it("of any other operation is rewritten where each has its URIs", () => {
    expect(result('{"contents":[{"uri":"ui://a","text":"ui://a"},{"uri":"x://a"}]}', "read")).toBe(
      '{"contents":[{"uri":"ui://p/a","text":"ui://a"},{"uri":"x://a"}]}',
    );
    const prompt = (uri: string): string =>
      `{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"${uri}"}}},` +
      `{"role":"user","content":[{"type":"resource_link","uri":"${uri}"}]}]}`;
    expect(result(prompt("ui://a"), "prompt")).toBe(prompt("ui://p/a"));
    const skill =
      '{"skill":{"uri":"skill://a/SKILL.md","resources":[{"uri":"skill://a/x"}],"frontmatter":{"d":"skill://"}}}';
    expect(result(skill, "skill")).toBe(skill.replaceAll("skill://a", "skill://p/a"));
    const folder = '{"resources":[{"uri":"skill://a/x","name":"skill://a"}],"nextCursor":"skill://a"}';
    expect(result(folder, "directory")).toBe(folder.replace("skill://a/x", "skill://p/a/x"));
    const completion = '{"completion":{"values":["ui://a"]},"content":[{"type":"resource_link","uri":"ui://a"}]}';
    expect(result(completion, "complete")).toBe(completion);
  });

  it("changes nothing but what is in its places, for any JSON", () => {
    const words = fc.constantFrom(
      "content",
      "type",
      "uri",
      "resource",
      "resource_link",
      "_meta",
      "ui",
      "ui://a",
      "text",
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ depthSize: "medium" }, words, fc.integer(), fc.constant(null), tie("list"), tie("object")),
      list: fc.array(tie("tree"), { maxLength: 4 }),
      object: fc.dictionary(words, tie("tree"), { maxKeys: 5 }),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const text = JSON.stringify({ content: value });
        const shown = result(text);
        expect(shown.replaceAll("ui://p/a", "ui://a")).toBe(text);
        expect(() => JSON.parse(shown) as unknown).not.toThrow();
      }),
    );
  });
});

describe("a list entry on all providers' endpoint", () => {
  it.each([
    ["tool", '{"name":"t","uri":"ui://a","_meta":{"ui":{"resourceUri":"ui://a"}}}', 1],
    ["tool", '{"name":"t","description":"ui://a","_meta":{"ui/resourceUri":"ui://a"}}', 1],
    ["resource", '{"uri":"ui://a","name":"ui://n","_meta":{"ui":{"csp":{"resourceDomains":["ui://n"]}}}}', 1],
    ["template", '{"uriTemplate":"ui://a{x}","name":"n"}', 1],
    ["skill", '{"uri":"skill://a/SKILL.md","frontmatter":{"name":"skill://n"},"resources":[{"uri":"skill://a/b"}]}', 2],
    ["skill", '{"uri":"skill://a/SKILL.md","resources":"dynamic"}', 1],
  ] as const)("%s %s", (kind, text, places) => {
    const shown = entryToEndpoint(rawJson(text), "p", kind);
    expect(shown.split("://p/")).toHaveLength(places + 1);
    expect(shown.replaceAll("://p/", "://")).toBe(text);
  });
});
