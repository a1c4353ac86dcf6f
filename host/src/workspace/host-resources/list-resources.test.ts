import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AskAnswer } from "../../kernel/ask.ts";
import type { NewFile } from "../../kernel/files.ts";
import { openExtensions, type TestExtensions } from "./bundle-for-tests.ts";

const LIST = "ai.nimblebrain/resources/list";

let host: TestExtensions;
beforeEach(() => {
  host = openExtensions();
});
afterEach(() => host.end());

const parsed = ({ kind, json }: AskAnswer): unknown => ({ [kind]: JSON.parse(json) as unknown });
const list = async (params: unknown): Promise<unknown> => parsed(await host.port().serve(LIST, params));
const invalid = (data: object): object => ({ error: { code: -32602, message: expect.any(String), data } });

describe("a list", () => {
  const add = (filename: string, more: Partial<NewFile> = {}): Promise<unknown> =>
    host.add("12", { filename, ...more });
  const names = async (params: unknown): Promise<string[]> => {
    const answer = (await list(params)) as { result: { resources: { name: string }[] } };
    return answer.result.resources.map(({ name }) => name);
  };

  it("names every file, oldest first, and nothing of another workspace", async () => {
    const first = await host.add("12", { filename: "b.txt" });
    await add("a.txt");
    await host.add("x", { filename: "hidden" }, "ws_other");
    expect(await names(undefined)).toEqual(["b.txt", "a.txt"]);
    const answer = (await list({})) as { result: { resources: unknown[] } };
    expect(answer.result.resources[0]).toEqual({ uri: first.uri, name: "b.txt", mimeType: "text/plain", size: 2 });
    expect(Object.keys(answer.result)).toEqual(["resources"]);
    expect(host.uses.at(-1)).toMatchObject({ method: LIST, uri: null, filter: null, count: 2, outcome: "success" });
  });

  it("may be filtered in either place and either spelling, by all members together", async () => {
    await add("plain", { tags: ["x"] });
    await add("both", { tags: ["x", "y"] });
    await add("html", { mimeType: "text/html;charset=utf-8", tags: ["x", "y"] });
    const cases: [object, string[]][] = [
      [{ mimeType: "text/plain" }, ["plain", "both"]],
      [{ mimeType: "text/html" }, ["html"]],
      [{ mimeType: "text" }, []],
      [{ mime_type: "text/plain", tags: ["y"] }, ["both"]],
      [{ mime_type: "text/plain", mimeType: "text/plain" }, ["plain", "both"]],
      [{ tags: ["y", "x"] }, ["both", "html"]],
      [{ tags: [] }, ["plain", "both", "html"]],
      [{ tags: ["nobody has it"] }, []],
      [{ scheme: "files" }, ["plain", "both", "html"]],
      [{}, ["plain", "both", "html"]],
    ];
    for (const [filter, expected] of cases) {
      expect(await names({ filter })).toEqual(expected);
      expect(await names({ _meta: { filter, progressToken: 1 } })).toEqual(expected);
      expect(await names({ _meta: { filter }, filter, cursor: "" })).toEqual(expected);
    }
    expect(await names({ filter: { tags: ["x", "y"] }, _meta: { filter: { tags: ["y", "x", "y"] } } })).toHaveLength(2);
  });

  it.each([
    [{ cursor: "abc" }, { cursor: "abc" }],
    [{ cursor: 1 }, { param: "cursor", receivedType: "number" }],
    [{ filter: [] }, { param: "filter", receivedType: "array" }],
    [{ _meta: { filter: "x" } }, { param: "filter", receivedType: "string" }],
    [{ _meta: [] }, { param: "_meta", receivedType: "array" }],
    [{ filter: { tags: "x" } }, { param: "filter.tags", receivedType: "string" }],
    [{ filter: { tags: ["x", 1] } }, { param: "filter.tags", receivedType: "array" }],
    [{ filter: { mimeType: 1 } }, { param: "filter.mimeType", receivedType: "number" }],
    [{ filter: { mime_type: null } }, { param: "filter.mime_type", receivedType: "null" }],
    [{ filter: { scheme: true } }, { param: "filter.scheme", receivedType: "boolean" }],
    [{ filter: { scheme: "http" } }, { scheme: "http", supported: ["files"] }],
    [{ filter: { tag: ["x"] } }, { param: "filter.tag" }],
    [{ filter: { mimeType: "a/b", mime_type: "a/c" } }, { param: "filter" }],
    [{ filter: { mimeType: "a/b" }, _meta: { filter: { mimeType: "a/c" } } }, { param: "filter" }],
    [{ filter: { tags: ["a"] }, _meta: { filter: {} } }, { param: "filter" }],
    [{ tags: ["x"] }, { param: "tags" }],
    [{ mime_type: "text/plain" }, { param: "mime_type" }],
    [[], { param: "params", receivedType: "array" }],
  ])("with %j is refused, so that nothing of it is ignored", async (params, data) => {
    expect(await list(params)).toEqual(invalid(data));
    expect(host.uses).toMatchObject([{ outcome: "denied", code: -32602, count: null }]);
  });

  it("records the filter as it was asked for, cut when it is long", async () => {
    await list({ _meta: { filter: { tags: ["x"] } } });
    await list({ filter: { tags: Array.from({ length: 2_000 }, (_, i) => `tag ${i}`) } });
    expect(host.uses[0]?.filter).toBe('{"tags":["x"]}');
    expect(host.uses[1]?.filter).toHaveLength(2_048);
  });
});
