import { describe, expect, test } from "vitest";
import type { Ending } from "../../kernel/call.ts";
import type { FileInfo, FileStore, NewFile } from "../../kernel/files.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Opened } from "../../kernel/stages.ts";
import { createSpill } from "./spill.ts";

const LIMIT = 100_000;

const call = (operation: Opened["operation"] = "call", outputSchema?: object): Opened =>
  ({
    operation,
    principal: { id: "agent:mcp-client", onBehalfOf: "person:ann", workspace: "ws_lab" },
    target: { flatName: "big__dump", tool: { value: { name: "dump", ...(outputSchema ? { outputSchema } : {}) } } },
  }) as unknown as Opened;

const resultOf = (json: string, isError = false): Ending => ({ kind: "result", json: rawJson(json), isError });

const spillInto = (create: (file: NewFile) => Promise<FileInfo>) => {
  const asked: string[] = [];
  const files = (workspace: string): FileStore => {
    asked.push(workspace);
    return { create } as unknown as FileStore;
  };
  const bugs: unknown[] = [];
  return { asked, bugs, spill: createSpill({ files, maxResultBytes: LIMIT }, (bug) => bugs.push(bug)) };
};

const keep = (kept: NewFile[]) => (file: NewFile) => {
  kept.push(file);
  return Promise.resolve({
    id: "fl_000000000000000000000001",
    uri: "files://fl_000000000000000000000001",
    filename: file.filename,
    mimeType: file.mimeType ?? "",
    size: file.bytes.length,
    sha256: "abc",
    tags: [],
    createdAt: "",
    createdBy: file.createdBy,
  });
};

const parsed = (ending: Ending): Record<string, any> =>
  ending.kind === "result" ? (JSON.parse(ending.json) as Record<string, any>) : {};

describe("a result above the limit", () => {
  test("is kept whole in the caller's workspace; the answer has its beginning, a link and the digest", async () => {
    const kept: NewFile[] = [];
    const { spill, asked } = spillInto(keep(kept));
    const json = JSON.stringify({ content: [{ type: "text", text: "é".repeat(LIMIT / 2) }], odd: 1.0 });
    const ending = parsed(await spill(call(), resultOf(json)));
    expect(asked).toEqual(["ws_lab"]);
    expect(Buffer.from(kept[0]!.bytes).toString()).toBe(json);
    expect(kept[0]!.createdBy).toBe("agent:mcp-client for person:ann");
    expect(ending["content"][0].text).toContain(`${Buffer.byteLength(json)} bytes`);
    expect(ending["content"][0].text).toContain('files__read {"id":"fl_000000000000000000000001"');
    expect(ending["content"][0].text.length).toBeLessThan(33 * 1024);
    expect(ending["content"][0].text).not.toContain("\ufffd");
    expect(ending["content"][1]).toMatchObject({ type: "resource_link", uri: "files://fl_000000000000000000000001" });
    expect(ending["_meta"]).toEqual({
      "dev.bailiwick/spill": {
        uri: "files://fl_000000000000000000000001",
        size: Buffer.byteLength(json),
        sha256: "abc",
      },
    });
    expect(ending["isError"]).toBeUndefined();
  });

  test("of a tool with an output schema is an error too, since its structured part is missing", async () => {
    const { spill } = spillInto(keep([]));
    const ending = await spill(call("call", { type: "object" }), resultOf(`{"content":[],"x":"${"a".repeat(LIMIT)}"}`));
    expect([parsed(ending)["isError"], ending.kind === "result" && ending.isError]).toEqual([true, true]);
  });

  test("that cannot be kept says so and why, and shows its beginning", async () => {
    const full = new Refusal("quota_exceeded", { message: "The workspace is full.", next: "Delete files." });
    const { spill } = spillInto(() => Promise.reject(full));
    const ending = parsed(await spill(call(), resultOf(`{"x":"${"a".repeat(LIMIT)}"}`)));
    expect(ending["isError"]).toBe(true);
    expect(ending["content"][0].text).toContain("The workspace is full. Delete files.");
  });

  test("that the disk does not take says so in plain words; the inside is reported, not answered", async () => {
    const noSpace = new Error("ENOSPC: no space left on device, write '/var/secret/place'");
    const { spill, bugs } = spillInto(() => Promise.reject(noSpace));
    const ending = parsed(await spill(call(), resultOf(`{"x":"${"a".repeat(LIMIT)}"}`)));
    expect(bugs).toEqual([noSpace]);
    expect(ending["isError"]).toBe(true);
    expect(ending["content"][0].text).toContain("The tool ran");
    expect(ending["content"][0].text).toContain("could not be written");
    expect(ending["content"][0].text).not.toContain("secret");
  });
});

test("what is exactly at the limit, what is no call, and what is no result passes as it came", async () => {
  const { spill, asked } = spillInto(keep([]));
  const exact = resultOf(`{"x":"${"a".repeat(LIMIT - 8)}"}`);
  const large = resultOf(`{"x":"${"a".repeat(LIMIT)}"}`);
  const error: Ending = { kind: "error", code: 1, json: rawJson(`{"x":"${"a".repeat(LIMIT)}"}`) };
  expect(await spill(call(), exact)).toBe(exact);
  expect(await spill(call("read"), large)).toBe(large);
  expect(await spill(call(), error)).toBe(error);
  expect(asked).toEqual([]);
});
