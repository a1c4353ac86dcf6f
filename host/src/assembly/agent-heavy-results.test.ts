/** Results that are too much to be looked into, and what becomes of the whole of a long one. */
import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { startAgent, type AgentPlace, type Json } from "./agent-host-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const DONE = { text: "Done." };

const fileOf = async (host: WholeHost, text: string): Promise<string> => {
  const id = /files:\/\/(\w+)/.exec(text)?.[1];
  const file = await fetch(`${host.origin}/v1/files/${id}`, { headers: { authorization: `Bearer ${host.key}` } });
  return file.text();
};
const results = (place: AgentPlace): readonly string[] =>
  place.stub
    .requests()
    .at(-1)
    ?.results.map(({ text }) => text) ?? [];

test("of a result of very many values the client gets all, the model an error that names a file with the whole", async () => {
  const { place, ...host } = await startAgent();
  const events = await host.hear("go", [{ calls: [{ name: "desk__echo", input: { values: 400_000 } }] }, DONE]);
  const told = events.find(({ event }) => event === "tool.done")?.data as Json;
  expect(told).toMatchObject({ ok: true, outcome: "success" });
  expect(told["result"].structuredContent.rows).toHaveLength(400_001);
  expect(events.at(-1)).toMatchObject({ event: "done", data: { response: "Done.", toolCalls: [{ ok: true }] } });
  const [text = ""] = results(place);
  expect(text).toContain(
    "characters in more than 100000 values, so none of it is shown. The whole is kept as the file",
  );
  expect(await fileOf(host, text)).toBe(JSON.stringify(told["result"]));
});

test("the file that a long result becomes is in evidence of its run, with the call that it is of", async () => {
  const { place, ...host } = await startAgent();
  const { json } = await host.ask("go", [{ calls: [{ name: "desk__echo", input: { size: 60_000 } }] }, DONE]);
  const kept = place.events().filter(({ event_type }) => event_type === "dev.bailiwick.result_kept");
  const call = place.events().find(({ event_id }) => event_id === json["toolCalls"][0].evidenceId);
  expect(kept).toMatchObject([
    {
      correlation: { correlation_id: json["runId"] },
      subject: { id: "agent://bailiwick" },
      payload: {
        run_id: json["runId"],
        uri: /files:\/\/\w+/.exec(json["toolCalls"][0].output)?.[0],
        sha256: hash("sha256", "x".repeat(60_000)),
        tool: "desk__echo",
        invocation: call?.["invocation_id"],
      },
    },
  ]);
});

test("no file keeps what may be for the person alone, or what the key behind the run could not read", async () => {
  const { place, ...host } = await startAgent();
  await host.ask("go", [{ calls: [{ name: "desk__echo", input: { values: 200_000, personal: "ann" } }] }, DONE]);
  expect(results(place)[0]).toContain("It is not kept as a file, because parts of it are for the person alone.");
  const { secret } = await host.keys.create({ name: "narrow", scopes: ["desk__*"] });
  place.stub.script([{ calls: [{ name: "desk__echo", input: { size: 60_000 } }] }, DONE]);
  const headers = { authorization: `Bearer ${secret}` };
  expect((await host.rest("POST", "/v1/chat", { message: "go" }, headers)).status).toBe(200);
  expect(results(place)[0]).toContain("is not kept, because the key behind this run may not read files");
  expect(place.evidence("result_kept")).toEqual([]);
});

test("in a run that may not read files the file is for the person", async () => {
  const { place, ...host } = await startAgent();
  const turns = [{ calls: [{ name: "desk__echo", input: { size: 60_000 } }] }, DONE];
  await host.ask({ message: "go", allowedTools: ["desk__*"] }, turns);
  expect(results(place)[0]).toContain("which the person can open and which cannot be read in this run");
  expect(results(place)[0]).not.toContain("files__read");
  expect(await fileOf(host, results(place)[0] ?? "")).toHaveLength(60_000);
});

test("a result that is nested 20 000 deep reaches the client and ends no stream", async () => {
  const { place, ...host } = await startAgent();
  const events = await host.hear("go", [{ calls: [{ name: "desk__echo", input: { levels: 20_000 } }] }, DONE]);
  expect(events.map(({ event }) => event)).toEqual([
    "chat.start",
    "llm.done",
    "tool.start",
    "tool.done",
    "text.delta",
    "llm.done",
    "done",
  ]);
  expect(events.map(({ id }) => id)).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
  let [levels, inner] = [0, events[3]?.data.result.structuredContent.rows[0] as unknown];
  for (; Array.isArray(inner); inner = inner[0]) levels++;
  expect(levels).toBe(20_000);
  expect(results(place)[0]).toContain("nested too deep");
});

test("a program reads results as objects", async () => {
  const { place, ...host } = await startAgent();
  place.stub.script([{ calls: [{ name: "desk__echo", input: { n: 1 } }] }, DONE]);
  const { stream, result } = host.chat("go");
  const events: Json[] = [];
  for await (const event of stream) events.push(event);
  expect((await result).response).toBe("Done.");
  expect(events.find(({ type }) => type === "tool.done")).toMatchObject({
    result: { content: [{ type: "text", text: 'echo {"n":1}' }] },
  });
});
