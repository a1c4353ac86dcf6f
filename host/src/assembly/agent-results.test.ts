/** Calls that a model makes, from its answer to what it reads next. */
import { describe, expect, test } from "vitest";
import { firstOf, startAgent, WIRES, type Json } from "./agent-host-for-tests.ts";

const ADD: Json = {
  name: "add",
  inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false },
};
const DONE = { text: "Done." };

describe.each(WIRES)("on the wire of %s", (wire) => {
  test("calls of one answer run side by side; the model reads them in its own order, a client as they end", async () => {
    const { place, ...host } = await startAgent({ wire, tools: ["one", "two", "three"] });
    const [first, second] = [place.hold("first"), place.hold("second")];
    const reader = await host.stream("go", [
      {
        calls: [
          { id: "a", name: "desk__one", input: { hold: first.path } },
          { id: "b", name: "desk__two", input: { hold: second.path } },
          { id: "c", name: "desk__three", input: { fail: true } },
        ],
      },
      DONE,
    ]);
    const done = (): string[] => reader.events.filter(({ event }) => event === "tool.done").map(({ data }) => data.id);
    // The last of them ends while the others are held: none waits for another.
    await reader.until("tool.done");
    expect(done()).toEqual(["c"]);
    expect(place.effects().toSorted()).toEqual(["one", "three", "two"]);
    second.letGo();
    await expect.poll(done).toEqual(["c", "b"]);
    first.letGo();
    await reader.ended;
    expect(done()).toEqual(["c", "b", "a"]);
    const started = reader.events.filter(({ event }) => event === "tool.start");
    expect(started.map(({ data }) => data.id)).toEqual(["a", "b", "c"]);
    const { results } = place.stub.requests()[1] ?? { results: [] };
    expect(results.map(({ id }) => id)).toEqual(["a", "b", "c"]);
    const { data } = reader.events.at(-1) as { data: Json };
    expect(data["toolCalls"].map(({ id, ok, outcome }: Json) => [id, ok, outcome])).toEqual([
      ["a", true, "success"],
      ["b", true, "success"],
      ["c", false, "failure"],
    ]);
  });

  test("thirty calls of one answer are all under way before the first of them has ended", async () => {
    const { place, ...host } = await startAgent({ wire });
    const held = place.hold("all");
    const calls = Array.from({ length: 30 }, (_, n) => ({ name: "desk__echo", input: { n, hold: held.path } }));
    const reader = await host.stream("go", [{ calls }, DONE]);
    await expect.poll(() => place.effects().length, { timeout: 10_000 }).toBe(30);
    held.letGo();
    await reader.ended;
    const results = place.stub.requests()[1]?.results.map(({ text }) => Number(/"n":(\d+)/.exec(text)?.[1])) ?? [];
    expect(results).toEqual(calls.map(({ input }) => input.n));
  });

  test("a refusal is a result with its code and next step, and holds back none of the others", async () => {
    const { place, ...host } = await startAgent({ wire, tools: ["echo", ADD] });
    const { json } = await host.ask({ message: "go", allowedTools: ["desk__*"] }, [
      {
        calls: [
          { name: "desk__add", input: { n: "one" } },
          { name: "desk__ecko" },
          { name: "nowhere__echo" },
          { name: "files__list" },
          { name: "desk__echo", inputText: "[1]" },
          { name: "desk__echo", input: { n: 1 } },
        ],
      },
      DONE,
    ]);
    expect(place.effects()).toEqual(["echo"]);
    const texts = place.stub.requests()[1]?.results.map(({ text }) => text) ?? [];
    expect(texts[0]).toMatch(/^<tool-result name="desk__add">\ninvalid_input: [^]*\/n[^]*Next step: /);
    expect(texts[1]).toMatch(/unknown_tool: [^]*Did you mean[^]*desk__echo/);
    expect(texts[2]).toMatch(/unknown_tool: [^]*desk__echo/);
    expect(texts[3]).toMatch(/outside_request: files__list [^]*Next step: [^]*allowedTools/);
    expect(texts[4]).toMatch(/^invalid_input: desk__echo was not run/);
    expect(texts[5]).toContain('echo {"n":1}');
    expect(json["toolCalls"].map(({ ok, outcome }: Json) => [ok, outcome])).toEqual([
      ...[0, 1, 2, 3, 4].map(() => [false, "denied"]),
      [true, "success"],
    ]);
    for (const { evidenceId } of json["toolCalls"]) expect(typeof evidenceId).toBe("string");
  });

  test("a name without a provider is an unknown tool, and only what the caller may see is suggested", async () => {
    const { place, ...host } = await startAgent({ wire, tools: ["echo", "ecko"] });
    await host.ask({ message: "go", allowedTools: ["desk__echo"] }, [{ calls: [{ name: "echo" }] }, DONE]);
    const text = place.stub.requests()[1]?.results[0]?.text ?? "";
    expect(text).toMatch(/unknown_tool: /);
    expect(text).toContain("desk__echo");
    expect(text).not.toContain("desk__ecko");
  });

  test("a text for the person alone goes to clients and not to the model", async () => {
    const { place, ...host } = await startAgent({ wire });
    const events = await host.hear("go", [
      { calls: [{ id: "a", name: "desk__echo", input: { size: 3, personal: "ann" } }] },
      DONE,
    ]);
    const told = firstOf(events, "tool.done");
    expect(told["result"].content).toEqual([
      { type: "text", text: "xxx" },
      { type: "text", text: "for ann alone", annotations: { audience: ["user"] } },
    ]);
    expect(place.stub.requests()[1]?.last).toBe('<tool-result name="desk__echo">\nxxx\n</tool-result>');
    const { conversationId } = firstOf(events);
    await host.ask({ message: "and now", conversationId }, [DONE]);
    const sent = JSON.stringify(place.stub.requests().map(({ body }) => body));
    expect(sent).toContain("and now");
    expect(sent.includes("for ann alone")).toBe(false);
  });

  test("50 000 characters are read whole; of more the beginning, and the whole is a file of the workspace", async () => {
    const { place, ...host } = await startAgent({ wire });
    const events = await host.hear("go", [
      {
        calls: [
          { name: "desk__echo", input: { size: 50_000 } },
          { name: "desk__echo", input: { size: 50_001 } },
        ],
      },
      DONE,
    ]);
    const [whole, cut] = place.stub.requests()[1]?.results.map(({ text }) => text) ?? ["", ""];
    expect(whole).toBe(`<tool-result name="desk__echo">\n${"x".repeat(50_000)}\n</tool-result>`);
    expect(cut?.match(/x{1000,}/)?.[0]).toHaveLength(50_000);
    expect(cut).toContain("the result has 50001 characters");
    const id = /files:\/\/(\w+)/.exec(cut ?? "")?.[1];
    const file = await fetch(`${host.origin}/v1/files/${id}`, { headers: { authorization: `Bearer ${host.key}` } });
    expect(await file.text()).toBe("x".repeat(50_001));
    const told = events.filter(({ event }) => event === "tool.done").map(({ data }) => data.result.content[0].text);
    expect(told.map(({ length }: string) => length).toSorted((a, b) => a - b)).toEqual([50_000, 50_001]);
  });

  test("of a result above a million characters the model gets an error instead, and the client all of it", async () => {
    const { place, ...host } = await startAgent({ wire });
    const events = await host.hear("go", [{ calls: [{ name: "desk__echo", input: { size: 1_000_001 } }] }, DONE]);
    const text = place.stub.requests()[1]?.last ?? "";
    expect(text.length).toBeLessThan(1_000);
    expect(text).toContain("The result has 1000001 characters, more than the 1000000 that are taken");
    expect(text).toMatch(/kept as the file files:\/\/\w+/);
    const told = firstOf(events, "tool.done");
    expect(told).toMatchObject({ ok: true, outcome: "success" });
    expect(told["result"].content[0].text).toHaveLength(1_000_001);
  });

  test("progress reaches the client, between start and end", async () => {
    const host = await startAgent({ wire });
    const events = await host.hear("go", [
      { calls: [{ id: "a", name: "desk__echo", input: { progress: "half way" } }] },
      DONE,
    ]);
    const of = events.filter(({ event }) => event?.startsWith("tool."));
    expect(of.map(({ event }) => event)).toEqual(["tool.start", "tool.progress", "tool.done"]);
    expect(of[1]?.data).toMatchObject({ id: "a", progress: 1, total: 2, message: "half way" });
  });

  test("what a tool has to show is named when it starts and when it has ended", async () => {
    const shows = { name: "show", _meta: { ui: { resourceUri: "ui://desk/show" } } };
    const host = await startAgent({ wire, tools: [shows, "echo"] });
    const calls = [{ name: "desk__show" }, { name: "desk__echo" }];
    const events = await host.hear("go", [{ calls }, DONE]);
    const of = (event: string): Json =>
      Object.fromEntries(
        events.filter((each) => each.event === event).map(({ data }) => [data.name, data.resourceUri ?? null]),
      );
    const expected = { desk__show: "ui://desk/show", desk__echo: null };
    expect(of("tool.start")).toEqual(expected);
    expect(of("tool.done")).toEqual(expected);
  });

  test("a tool that was repeated three times alike is withdrawn, and comes no more in this run", async () => {
    const { place, ...host } = await startAgent({ wire });
    const same = { calls: [{ name: "desk__echo", input: { n: 1 } }] };
    const { json } = await host.ask("go", [same, same, same, same, DONE]);
    expect(place.effects()).toHaveLength(3);
    expect(json["toolCalls"].map(({ ok, outcome }: Json) => [ok, outcome])).toEqual([
      [true, "success"],
      [true, "success"],
      [true, "success"],
      [false, "skipped"],
    ]);
    const listed = place.stub.requests().map(({ tools }) => tools.includes("desk__echo"));
    expect(listed).toEqual([true, true, true, false, false]);
  });
});
