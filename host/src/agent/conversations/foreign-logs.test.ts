import { appendFileSync, createWriteStream, statSync } from "node:fs";
import { once } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linesOf, logOf, openIn, plant, QUERY, question, refusalOf, temporaryDir } from "./conversations-for-tests.ts";

const ID = "conv_abcdef123456";
const HEAD = { id: ID, createdAt: "2026-11-15T10:30:00.000Z" };

describe("a log that another program wrote", () => {
  it("is read in the other form of the family: times, parts of content, calls and tokens under metadata", async () => {
    const dir = temporaryDir();
    const call = { id: "tc", name: "crm__find", input: { q: 1 }, output: "x", ok: true, ms: 5, resourceUri: "ui://x" };
    plant(dir, ID, [
      { ...HEAD, createdAt: "2026-11-15T12:30:00+02:00", title: "From there", ownerId: "u" },
      {
        role: "user",
        content: [{ type: "text", text: "Find" }, { type: "resource_link" }],
        timestamp: 1_800_000_000_000,
      },
      {
        role: "assistant",
        content: "Found.",
        timestamp: "2027-02-01T00:00:00Z",
        metadata: { skill: "crm", model: "m", toolCalls: [call], usage: { inputTokens: 7, outputTokens: 2 } },
      },
    ]);
    const store = openIn(dir);
    const conversation = await store.open(ID);
    const { resourceUri: _, ...kept } = call;
    expect(conversation.head).toEqual(HEAD);
    expect(conversation.messages).toEqual([
      { role: "user", content: "Find", ts: "2027-01-15T08:00:00.000Z" },
      {
        role: "assistant",
        content: "Found.",
        ts: "2027-02-01T00:00:00.000Z",
        toolCalls: [{ ...kept, outcome: null }],
        skill: "crm",
        model: "m",
        inputTokens: 7,
        outputTokens: 2,
      },
    ]);
    expect(conversation.defect).toBeNull();
    expect(conversation.summary()).toMatchObject({ title: "From there", updatedAt: "2027-02-01T00:00:00.000Z" });
    const fork = await store.fork(ID, 1);
    expect(linesOf(dir, fork.id)[1]).toBe(linesOf(dir, ID)[1]);
  });

  it("keeps lines that nobody can read, leaves them out and names them", async () => {
    const dir = temporaryDir();
    const bad = [
      "{}",
      "null",
      "[]",
      '{"role":"system","content":"x","ts":"x"}',
      '{"role":"user","ts":"x"}',
      "\0\0",
      "{",
    ];
    plant(dir, ID, [HEAD, question("a"), "", ...bad, question("b")]);
    const before = linesOf(dir, ID);
    const conversation = await openIn(dir).open(ID);
    expect(conversation.messages.map(({ content }) => content)).toEqual(["a", "b"]);
    expect(conversation.defect).toBe("Left out, because it cannot be read: line 4, 5, 6, 7, 8 and 2 more.");
    await conversation.append(question("c"));
    expect(linesOf(dir, ID).slice(0, before.length - 1)).toEqual(before.slice(0, -1));
  });

  it("keeps a last line of another kind too, though its line break is missing", async () => {
    const dir = temporaryDir();
    plant(dir, ID, [HEAD, question("a")]);
    appendFileSync(logOf(dir, ID), '{"type":"note"}');
    const conversation = await openIn(dir).open(ID);
    expect(conversation.defect).toBe("Left out, because it cannot be read: line 3.");
    await conversation.append(question("b"));
    expect(linesOf(dir, ID)[2]).toBe('{"type":"note"}');
    expect(conversation.messages).toHaveLength(2);
  });

  it("is known by the name of its file, whatever its first line says", async () => {
    const dir = temporaryDir();
    plant(dir, ID, [{ id: "../../etc", createdAt: "never", forkedFrom: { id: "/etc", atMessage: -1 } }, question("a")]);
    plant(dir, "conv_other1", ["this is no JSON", question("b")]);
    const store = openIn(dir);
    const copied = await store.open(ID);
    expect(copied.head).toEqual({ id: ID, createdAt: "1970-01-01T00:00:00.000Z" });
    expect(copied.defect).toBe('Line 1 says that it is "../../etc".');
    const nameless = await store.open("conv_other1");
    expect(nameless.messages).toHaveLength(1);
    expect(nameless.defect).toBe("Line 1, which says what it is, cannot be read.");
    expect(linesOf(dir, "conv_other1")[0]).toBe("this is no JSON");
    expect((await store.list(QUERY)).totalCount).toBe(2);
  });

  it("does not take the host down by depth, length or odd members", async () => {
    const dir = temporaryDir();
    const deep = `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`;
    const odd = { __proto__: { x: 1 }, toolCalls: [null, 5, { name: 7, ms: "x", ok: "yes", outcome: "toString" }] };
    plant(dir, ID, [
      HEAD,
      `{"role":"user","content":"deep","ts":"x","toolCalls":[{"id":"a","name":"b","input":${deep}}]}`,
      `{"role":"user","content":${deep},"ts":"x"}`,
      { role: "user", content: "odd", ts: "x", inputTokens: -1, outputTokens: "9", files: [1, "files://a"], ...odd },
    ]);
    const conversation = await openIn(dir).open(ID);
    expect(conversation.messages.map(({ content }) => content)).toEqual(["deep", "", "odd"]);
    expect(conversation.messages[0]?.toolCalls?.[0]?.input).toContain("not kept");
    expect(conversation.messages[2]).toEqual({
      role: "user",
      content: "odd",
      ts: HEAD.createdAt,
      toolCalls: [{ id: "", name: "", input: {}, output: "", ok: false, ms: 0, outcome: null }],
      files: ["files://a"],
    });
    expect(() => JSON.stringify(conversation.messages)).not.toThrow();
  });

  it("passes over a line that is longer than any that is written here", async () => {
    const dir = temporaryDir();
    plant(dir, ID, [HEAD, question("a")]);
    const file = createWriteStream(logOf(dir, ID), { flags: "a" });
    for (let n = 0; n < 65; n++) file.write(Buffer.alloc(1 << 20, "x"));
    file.end(`\n${JSON.stringify(question("b"))}\n`);
    await once(file, "close");
    const { size } = statSync(logOf(dir, ID));
    const store = openIn(dir);
    const conversation = await store.open(ID);
    expect(conversation.messages.map(({ content }) => content)).toEqual(["a", "b"]);
    expect(conversation.defect).toContain("line 3");
    expect(statSync(logOf(dir, ID)).size).toBe(size);
    const refusal = await refusalOf(conversation.append(question("c")));
    expect([refusal.kind, refusal.next]).toEqual(["too_large", expect.stringContaining("fork")]);
    expect((await store.fork(ID, 1)).messageCount).toBe(1);
  });

  it("opens, lists and can be added to whatever bytes are in it", async () => {
    const dir = temporaryDir();
    const noise = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      fc.constantFrom(JSON.stringify(HEAD), JSON.stringify(question("q")), "\n", "\r\n", '{"role":"user"'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(noise, { maxLength: 8 }), fc.boolean(), async (lines, isEnded) => {
        plant(dir, ID, [HEAD, `${lines.join("\n")}${isEnded ? "\n" : ""}`]);
        const store = openIn(dir);
        const conversation = await store.open(ID);
        const before = conversation.messages.length;
        await conversation.append(question("last"));
        await store.close();
        const again = openIn(dir);
        expect((await again.list(QUERY)).conversations).toEqual([conversation.summary()]);
        expect((await again.open(ID)).messages).toHaveLength(before + 1);
        expect((await again.open(ID)).messages.at(-1)?.content).toBe("last");
        await again.close();
      }),
      { numRuns: 60 },
    );
  });
});
