import { hash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { openLegacy, openModern, serveLossless, UPSTREAMS, type Ask, type RawAnswer } from "./lossless-for-tests.ts";
import * as texts from "./lossless-texts-for-tests.ts";
import type { Served } from "./serve-for-tests.ts";

let host: Served;

beforeAll(async () => {
  host = await serveLossless();
  return () => host.stop();
});

const CLIENTS = [
  { era: "legacy", open: openLegacy },
  { era: "modern", open: openModern },
] as const;

const ENDPOINTS = UPSTREAMS.flatMap((upstream) => [
  { upstream, joined: true, path: "/mcp" },
  { upstream, joined: false, path: `/mcp/providers/${upstream}` },
]);
const CELLS = ENDPOINTS.flatMap(({ upstream, joined, path }) =>
  CLIENTS.map(({ era, open }) => ({ era, open, upstream, joined, path })),
);

describe.each(CELLS)("through $path, $era client, server $upstream", ({ era, open, upstream, joined }) => {
  const modern = era === "modern";
  const resources = texts.resourcesOf(upstream);
  let ask: Ask;

  beforeAll(async () => {
    ask = await open(joined ? host.mcpUrl : `${host.mcpUrl}/providers/${upstream}`, host.key);
  });

  const nameOf = (own: string): string => (joined ? `${upstream}__${own}` : own);
  const call = (tool: string, meta?: string): Promise<RawAnswer> => {
    const name = nameOf(tool);
    return ask({ method: "tools/call", params: `"name":"${name}","arguments":{}`, name, ...(meta && { meta }) });
  };
  const readUri = (path: string): Promise<RawAnswer> => {
    const uri = `${upstream}://${path}`;
    return ask({ method: "resources/read", params: `"uri":"${uri}"`, name: uri });
  };
  /** A result as a client of this era gets it: the modern one is told that it is complete. */
  const fit = (result: string): string => {
    if (!modern || result.includes('"resultType"')) return `"result":${result}`;
    return `"result":{"resultType":"complete"${/^\{ *\}$/.test(result) ? "" : ","}${result.slice(1)}`;
  };

  it("lists every tool as the server wrote it, but for its name", async () => {
    const { said } = await ask({ method: "tools/list" });
    for (const { name, json } of texts.TOOLS) expect(said).toContain(joined ? renamed(upstream, name, json) : json);
  });

  it("lists prompts, resources and templates as the server wrote them", async () => {
    const prompts = await ask({ method: "prompts/list" });
    expect(prompts.said).toContain(texts.PROMPT.replace('"name":"odd"', `"name":"${nameOf("odd")}"`));
    const owner = `"dev.bailiwick/provider":"${upstream}"`;
    const owned = (entry: string): string => {
      if (!joined) return entry;
      const at = entry.includes('"_meta":{') ? entry.indexOf('"_meta":{') + 9 : 1;
      return `${entry.slice(0, at)}${at === 1 ? `"_meta":{${owner}}` : owner},${entry.slice(at)}`;
    };
    const { said } = await ask({ method: "resources/list" });
    expect(said).toContain(owned(resources.plain));
    expect(said).toContain(owned(resources.tagged));
    const templates = await ask({ method: "resources/templates/list" });
    expect(templates.said).toContain(owned(resources.template));
  });

  it.each(Object.entries(texts.RESULTS))("returns the result of the tool %s as it came", async (tool, result) => {
    expect(await call(tool)).toEqual({ status: 200, said: fit(result), notices: [] });
  });

  it("puts a result that is a list, and its schema, into an object for a legacy client only", async () => {
    const wrapped = modern ? texts.LIST : `{"result":${texts.LIST}}`;
    expect((await call("list")).said).toBe(fit(`{"structuredContent" : ${wrapped} ,"content":[ ]}`));
    const { said } = await ask({ method: "tools/list" });
    const schema = modern ? texts.LIST_SCHEMA : objectOf(texts.LIST_SCHEMA);
    const listed = `"name":"${nameOf("list")}","outputSchema" : ${schema},"inputSchema":`;
    expect(said.replaceAll(/"\$id":"[^"]+",/g, "")).toContain(listed);
  });

  it("returns an error of the server as it came", async () => {
    expect(await call("error")).toEqual({ status: 200, said: `"error":${texts.ERROR}`, notices: [] });
  });

  it("passes progress and logs on, under the caller's own token", async () => {
    const heard = await call("noisy", String.raw`"progressToken":"my \u0074oken"`);
    const progress = String.raw`"params":{"progressToken":"my \u0074oken",${texts.NOTICES.progress}}`;
    expect(heard.said).toBe(fit(texts.RESULTS["odd"] as string));
    expect(heard.notices).toEqual([
      `{"jsonrpc":"2.0","method":"notifications/progress",${progress}}`,
      `{"jsonrpc":"2.0","method":"notifications/message","params":{${texts.NOTICES.log}}}`,
    ]);
  });

  it("returns a prompt and a completion as they came", async () => {
    const name = nameOf("odd");
    const prompt = await ask({ method: "prompts/get", params: `"name":"${name}"`, name });
    expect(prompt.said).toBe(fit(texts.PROMPT_RESULT));
    const refs = [`{"type":"ref/prompt","name":"${name}"}`, `{"type":"ref/resource","uri":"${upstream}://t/{x}"}`];
    for (const ref of refs) {
      const params = `"ref":${ref},"argument":{"name":"a","value":"b"}`;
      expect((await ask({ method: "completion/complete", params })).said).toBe(fit(texts.COMPLETION));
    }
  });

  it("returns a resource as it came, with the host's own cache hints for a modern client", async () => {
    const hints = `{"resultType":"complete","ttlMs":0,"cacheScope":"private",`;
    const expected = modern ? `${hints}${resources.contents.slice(1)}` : resources.contents;
    expect((await readUri("plain")).said).toBe(`"result":${expected}`);
    const bounded = `{"resultType":"complete","ttlMs":60000,"cacheScope":"private","contents":[],"x":1.0}`;
    expect((await readUri("tagged")).said).toBe(`"result":${modern ? bounded : resources.hinted}`);
  });

  it("changes nothing of a missing resource but the code of the client's era", async () => {
    const gone = modern ? resources.gone.replace("-32002", "-32602") : resources.gone;
    expect((await readUri("gone")).said).toBe(`"error":${gone}`);
    const absent = modern ? resources.absent : resources.absent.replace("-32602", "-32002");
    expect((await readUri("absent")).said).toBe(`"error":${absent}`);
  });
});

const objectOf = (schema: string): string =>
  `{"type":"object","properties":{"result":${schema}},"required":["result"]}`;

/** How `/mcp` lists a tool: under its flat name, or under an alias with the flat name in `_meta` when that is too long. */
const renamed = (provider: string, name: string, json: string): string => {
  const flat = `${provider}__${name}`;
  const listed = flat.length <= 64 ? flat : `${flat.slice(0, 55)}_${hash("sha256", flat).slice(0, 8)}`;
  const named = json.replace(/("n(?:a|\\u0061)me" ?: ?)"[^"]*"/, (_, key: string) => `${key}"${listed}"`);
  return listed === flat ? named : named.replace('"_meta":{', `"_meta":{"dev.bailiwick/name":"${flat}",`);
};
