import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { openLegacy, openModern, serveLossless, UPSTREAMS, type Ask } from "./lossless-for-tests.ts";
import { oddArguments, oddResult } from "./odd-json-for-tests.ts";
import type { Served } from "./serve-for-tests.ts";

let host: Served;
const clients = new Map<string, Ask>();

beforeAll(async () => {
  host = await serveLossless();
  clients.set("legacy", await openLegacy(host.mcpUrl, host.key));
  clients.set("modern", await openModern(host.mcpUrl, host.key));
  return () => host.stop();
});

const CELLS = [...UPSTREAMS].flatMap((upstream) => ["legacy", "modern"].map((era) => ({ era, upstream })));
type Cell = (typeof CELLS)[number];

const askFrom = ({ era }: Cell): Ask => clients.get(era) as Ask;

/** The text of the request as the server got it. */
const lineOf = (said: string): string => {
  const { result } = JSON.parse(`{${said}}`) as { result: { line: string } };
  return result.line;
};

const callTool = (cell: Cell, tool: string, args: string) => {
  const name = `${cell.upstream}__${tool}`;
  return askFrom(cell)({ method: "tools/call", params: `"name":"${name}","arguments":${args}`, name });
};

/** What the host offers to servers on this machine. */
const OFFERED = "ai.nimblebrain/host-resources";

const ODD = String.raw`{ "one":1.0,"hundred":1e2, "zero" : -0,"esc":"\u00e9 é \/ \ud800","__proto__":{"x":true},"":[ ],"b":1,"a":2,	"max":9007199254740991 }`;

describe.each(CELLS)("$era client, server $upstream", (cell) => {
  const ask: Ask = (request) => askFrom(cell)(request);

  it("has the arguments of a tool arrive as they were written", async () => {
    const { said } = await callTool(cell, "raw", ODD);
    expect(lineOf(said)).toContain(`"params":{"name":"raw","arguments":${ODD},"_meta":{`);
  });

  it("leaves arguments away where the client sent none", async () => {
    const name = `${cell.upstream}__raw`;
    const { said } = await ask({ method: "tools/call", params: `"name":"${name}"`, name });
    expect(lineOf(said)).toContain(`"params":{"name":"raw","_meta":{`);
  });

  it("has unknown params and foreign _meta arrive, and of what is the host's only what the host says", async () => {
    const name = `${cell.upstream}__raw`;
    const extra = `"x-extra": {"n":1.0} ,"uri":[ ],"ref":1E2`;
    const trace = `"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`;
    const foreign = `"com.example/k" : 1.0,${trace},"baggage":"a=b"`;
    const owned = `"progressToken":"mine","dev.bailiwick/x":1,"ai.nimblebrain/y":2,"${OFFERED}":"mine","dcc":{}`;
    const params = `"arguments":{},${extra},"name":"${name}"`;
    const line = lineOf((await ask({ method: "tools/call", params, meta: `${foreign},${owned}`, name })).said);
    for (const member of [...extra.split(" ,"), ...foreign.split(",")]) expect(line).toContain(member);
    for (const key of ["mine", "dev.bailiwick", "dcc"]) expect(line).not.toContain(key);
    // Declared among the capabilities, and how to use it beside them.
    const said = cell.upstream.startsWith("modern") ? [OFFERED, OFFERED] : [];
    expect(line.match(/ai\.nimblebrain[^"]*/g) ?? []).toEqual(said);
  });

  it("has the arguments of a prompt, a read and a completion arrive as they were written", async () => {
    const name = `${cell.upstream}__raw`;
    const args = String.raw`{ "a":"\u0041 \/ é","__proto__" : "x" }`;
    const prompt = await ask({ method: "prompts/get", params: `"name":"${name}","arguments":${args}`, name });
    expect(lineOf(prompt.said)).toContain(`"name":"raw","arguments":${args}`);
    const uri = `${cell.upstream}://raw`;
    const read = await ask({ method: "resources/read", params: `"x":1.0,"uri":"${uri}"`, name: uri });
    expect(lineOf(read.said)).toContain(`"uri":"${uri}","x":1.0`);
    const rest = String.raw`"argument":{"value":"\u0041","name":"a","x":1.0},"context":{ "arguments":{"b":"\/"}}`;
    const ref = `{"title":"T","type":"ref/prompt","x":1.0,"name":"${name}"}`;
    const completed = lineOf((await ask({ method: "completion/complete", params: `"ref":${ref},${rest}` })).said);
    expect(completed).toContain(rest);
    expect(completed).toContain(ref.replace(name, "raw"));
  });
});

describe("arguments that no digest could tell apart", () => {
  it.each([
    ["9007199254740993", "/n"],
    ["-12345678901234567890", "/n"],
    ["1e400", "/n"],
    ["1e16", "/n"],
    ["0.123456789012345678", "/n"],
    ["123456789.123456789", "/n"],
    ["1.00000000000000000001", "/n"],
    [`{"a/b":[0,12345678901234567890]}`, "/n/a~1b/1"],
  ])("%s is refused and never sent", async (literal, path) => {
    const { said } = await callTool({ era: "modern", upstream: "legacy-stdio" }, "raw", `{"n":${literal}}`);
    expect(said).toContain(`"kind":"invalid_input"`);
    expect(said).toContain(`"path":"${path}"`);
  });
});

describe("any JSON at all", () => {
  const cells = fc.constantFrom(...CELLS);

  it("reaches the server as it was written", async () => {
    await fc.assert(
      fc.asyncProperty(cells, oddArguments, async (cell, args) => {
        const { said } = await callTool(cell, "raw", args);
        expect(lineOf(said)).toContain(`"params":{"name":"raw","arguments":${args},"_meta":{`);
      }),
      { numRuns: 300 },
    );
  });

  it("comes back as the server wrote it", async () => {
    await fc.assert(
      fc.asyncProperty(cells, oddResult, async (cell, result) => {
        const { said } = await callTool(cell, "say", JSON.stringify({ text: result }));
        const complete = `{"resultType":"complete"${/^\{\s*\}$/.test(result) ? "" : ","}${result.slice(1)}`;
        expect(said).toBe(`"result":${cell.era === "modern" ? complete : result}`);
      }),
      { numRuns: 300 },
    );
  });
});
