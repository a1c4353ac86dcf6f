import { describe, expect, it } from "vitest";
import { NOBODY } from "../kernel/ask.ts";
import type { ProviderAnswer } from "../kernel/provider.ts";
import { NO_MEMBERS, rawMembers } from "../kernel/raw-json.ts";
import { createFixtures, fixtureOverlays } from "./create-fixtures.ts";

const provider = createFixtures();
const chunks: string[] = [];

const call = (name: string, args: object): Promise<ProviderAnswer> =>
  provider.send({
    method: "tools/call",
    name,
    params: rawMembers(`"name":${JSON.stringify(name)},"arguments":${JSON.stringify(args)}`),
    meta: NO_MEMBERS,
    signal: new AbortController().signal,
    listener: { progress: () => {}, log: () => {}, level: () => null, chunk: (delta) => void chunks.push(delta) },
    asker: NOBODY,
    owner: "service:runner",
    input: null,
    late: () => () => {},
  });

const dataOf = (answer: ProviderAnswer): unknown =>
  answer.kind === "result" ? answer.value["structuredContent"] : answer;

describe("the tools of the CHP suite", () => {
  it("are eight, each with an overlay that gives it its outward id and version", () => {
    const names = provider.catalogue().tools.map(({ name }) => name);
    expect(names).toHaveLength(8);
    for (const name of names) {
      expect(fixtureOverlays[`conformance__${name}`]).toMatchObject({ id: `conformance.${name}`, version: "1.0.0" });
    }
    expect(provider.status().version).toBe("1.0.0");
  });

  it.each(["echo", "guarded", "approval", "budgeted", "risky", "unsafe"])("%s returns its value", async (name) => {
    expect(dataOf(await call(name, { value: "v" }))).toEqual({ echo: "v" });
    expect(dataOf(await call(name, {}))).toEqual({ echo: null });
  });

  it("fail fails", async () => {
    await expect(call("fail", {})).rejects.toThrow("expected failure");
  });

  it("stream gives three pieces out and then the whole", async () => {
    expect(dataOf(await call("stream", {}))).toEqual({ chunks: 3, joined: "s1s2s3" });
    expect(chunks).toEqual(['"s1"', '"s2"', '"s3"']);
    expect(provider.catalogue().tools.find(({ name }) => name === "stream")?.streams).toBe(true);
  });
});
