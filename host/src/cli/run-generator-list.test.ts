import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DOCUMENT_AT, entry, openGeneratorWire, type GeneratorWire } from "./generators-for-tests.ts";

let wire: GeneratorWire;
beforeAll(async () => {
  wire = await openGeneratorWire();
});
beforeEach(() => wire.reset());
afterAll(() => wire.close());

describe("generator list", () => {
  it("shows each with what it lacks, and below the plug-ins that were rejected and why", async () => {
    const { code, out, err } = await wire.run(["generator", "list"]);
    expect(code).toBe(0);
    expect(out.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["type", "version", "source", "status", "availability"],
      ["template_fill", "1.0.0", "builtin", "stable", "available"],
      ["code_generation", "1.0.0", "builtin", "stable", "missing: API_KEY"],
      ["changelog", String.raw`2.1.0\u{1b}[2J`, "plugin", "experimental", "available"],
      ["old", "1.0.0", "builtin", "stable", "unavailable: no type stripping"],
      [""],
      ["rejected: bad.generator.mjs", "load_failed", String.raw`It threw \u{1b}[2J: no.`],
      [""],
    ]);
    expect(err).toContain("→ Set API_KEY where the host is started");
    expect(err).toContain("→ Correct a rejected file");
    expect(wire.asked.map(({ what }) => what)).toEqual(["GET /v1/capabilities/generators"]);
  });

  it("says nothing beside the table where nothing is wrong, and writes JSON as the host does", async () => {
    const document = { generators: { jinja2: entry("jinja2") }, metadata: { rejected: [] } };
    wire.says.set(DOCUMENT_AT, [200, document]);
    expect(await wire.run(["generator", "list"])).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse((await wire.run(["generator", "list", "--json"])).out)).toEqual(document);
  });

  it("takes what the host refuses as it is, and no other answer for a list", async () => {
    const refusal = { error: "policy_denied", message: "The rule says no.", remedy: "Ask its author." };
    wire.says.set(DOCUMENT_AT, [403, refusal]);
    expect(await wire.run(["generator", "list"])).toMatchObject({
      code: 3,
      out: "",
      err: "The rule says no.\n→ Ask its author.\n",
    });
    for (const strange of [{}, { generators: [] }, []]) {
      wire.says.set(DOCUMENT_AT, [200, strange]);
      const { code, err } = await wire.run(["generator", "list"]);
      expect([code, err]).toEqual([3, expect.stringContaining("in a form that this program does not know")]);
    }
  });

  it("needs a host that runs", async () => {
    const { code, out, err } = await wire.run(["generator", "list", "--workdir", "elsewhere", "--json"]);
    expect([code, err]).toEqual([1, "No host is running for this work directory; start it: bailiwick serve\n"]);
    expect(JSON.parse(out)).toMatchObject({ error: "not_ready", remedy: "bailiwick serve" });
  });
});
