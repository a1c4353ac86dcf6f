import { describe, expect, it } from "vitest";
import { ComposeError } from "../compose-error.ts";
import type { InputSource } from "./config-types.ts";
import { resolveReferences, resolveSources, type SourcePorts } from "./resolve-sources.ts";

const files: Readonly<Record<string, string>> = { "a.txt": "text", "a.json": '{"a":{"b/c":[1,2]}}', "bad.json": "{" };
const ports: SourcePorts = {
  readFile: (path) => {
    if (path.startsWith("/")) throw new ComposeError("invalid_output_path", "It is outside.");
    return Promise.resolve(files[path] ?? null);
  },
  readStored: (id, strategy) =>
    Promise.resolve(id === "none" ? [] : strategy === "all" ? ["1", "2"] : [`${id} ${strategy}`]),
  readConfig: (type, id) => Promise.resolve(id === "none" ? null : { type, id }),
  readGit: (ref, path) => Promise.resolve(ref === "HEAD" ? `{"at":"${path}"}` : null),
};
const source = (source_type: string, source_locator: unknown, over: Partial<InputSource> = {}): InputSource => ({
  id: "s",
  source_type,
  source_locator,
  ...over,
});
const resolve = async (...given: InputSource[]): Promise<unknown> => (await resolveSources(given, ports))["s"];

describe("a source", () => {
  it.each([
    [source("inline_data", { a: 1 }), { a: 1 }],
    [source("inline_data", '{"a":1}'), { a: 1 }],
    [source("inline_data", "plain text"), "plain text"],
    [source("external_file", "a.txt"), "text"],
    [source("external_file", "a.json", { data_selector: "/a/b~1c/1" }), 2],
    [source("external_file", "a.json", { data_selector: "" }), { a: { "b/c": [1, 2] } }],
    [source("ephemeral_output", "letter"), "letter latest"],
    [source("ephemeral_output", "letter:version:2026-01-01T00:00:00.000Z"), "letter version:2026-01-01T00:00:00.000Z"],
    [source("ephemeral_output", "letter:all"), ["1", "2"]],
    [source("content_config", "letter", { data_selector: "/type" }), "content"],
    [source("artifact_config", "book"), { type: "artifact", id: "book" }],
    [source("git_reference", "HEAD:docs/a.md"), '{"at":"docs/a.md"}'],
    [source("git_reference", "HEAD:a:b.json", { data_selector: "/at" }), "a:b.json"],
  ])("%j is %j", async (given, value) => {
    expect(await resolve(given)).toEqual(value);
  });

  it.each([
    [source("external_file", "gone.txt"), /there is none/],
    [source("external_file", "bad.json"), /no JSON/],
    [source("external_file", "/etc/passwd"), /outside/],
    [source("external_file", 7), /must be a text/],
    [source("external_file", "a.json", { data_selector: "/a/x" }), /nothing at \/a\/x/],
    [source("external_file", "a.json", { data_selector: "/__proto__" }), /nothing at/],
    [source("external_file", "a.txt", { data_selector: "/a" }), /no JSON/],
    [source("ephemeral_output", "none"), /there is none/],
    [source("content_config", "none"), /there is none/],
    [source("git_reference", "docs"), /ref:path/],
    [source("git_reference", "v1:x"), /there is none/],
    [source("requirement_id", "R1"), /requirement_id is not supported/],
  ])("%j fails, or is null where it is optional", async (given, why) => {
    await expect(resolve(given)).rejects.toThrow(
      expect.objectContaining({ code: "generation_failed", message: expect.stringMatching(why) }),
    );
    expect(await resolve({ ...given, required: false })).toBeNull();
  });

  it("that fails for a bug of ours is no source that is missing", async () => {
    const readFile = () => Promise.reject(new TypeError("bug"));
    const given = [source("external_file", "a.txt", { required: false })];
    await expect(resolveSources(given, { ...ports, readFile })).rejects.toThrow("bug");
  });
});

describe("a file that the config's own context names", () => {
  it("is read, JSON as data", async () => {
    const context = {
      a: { source: "file", path: "a.txt" },
      b: { source: "file", path: "a.json" },
      c: { source: "web" },
    };
    expect(await resolveReferences(context, ports)).toEqual({
      a: "text",
      b: { a: { "b/c": [1, 2] } },
      c: { source: "web" },
    });
  });

  it.each([
    { source: "file", path: "gone" },
    { source: "file", path: 7 },
    { source: "config", id: "x" },
    { source: "file", path: "bad.json" },
  ])("is an error where it cannot be: %j", async (value) => {
    await expect(resolveReferences({ v: value }, ports)).rejects.toThrow(
      expect.objectContaining({ code: "generation_failed", message: expect.stringContaining("'v' cannot be read") }),
    );
  });
});
