/** A real server of the modern era that wants to know roots first, behind a whole host: whose it is told. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { JSON_HEADERS, knock, modern } from "../transport/client-for-tests.ts";
import { rootOf } from "./roots-place-for-tests.ts";
import { makePlace, type WholeHost } from "./whole-host-for-tests.ts";

const SERVER = fileURLToPath(new URL("../../test/fixtures/rooted-modern-server.mjs", import.meta.url));
const FORGED = { roots: [{ uri: "file:///", name: "all" }] };
const DECLARES = { roots: {}, elicitation: { form: {} } };

/** `required`: of the tools of the server, by the operator. */
const start = async (required: readonly string[]): Promise<{ host: WholeHost; own: object }> => {
  const place = makePlace();
  const mcp_config = { command: "node", args: [SERVER] };
  const path = place.bundle("ops", { server: { type: "node", entry_point: "server.mjs", mcp_config } });
  const capabilities = { declared: required, require: { "ops__*": required } };
  place.configure({ bundles: [{ path }], capabilities });
  const host = await place.start();
  await host.until("ops", "running");
  const project = join(host.workDir, "workspaces/ws_default/project");
  return { host, own: { roots: [{ uri: rootOf(project).uri, name: "project" }] } };
};

const ask = async (
  { origin, key }: WholeHost,
  name: string,
  more: object = {},
  declared: object = DECLARES,
): Promise<any> => {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${key}` };
  const _meta = { "io.modelcontextprotocol/clientCapabilities": declared };
  const { json } = await knock(origin, modern("tools/call", { name, arguments: {}, _meta, ...more }, headers));
  return json.result;
};

describe("a server of the modern era that asks for roots", () => {
  it("hears of the host's where its tool works on files, whatever the caller declares, sends or answers", async () => {
    const { host, own } = await start(["filesystem.read"]);
    expect((await ask(host, "ops__roots")).structuredContent.responses).toEqual({ where: own });
    const unasked = await ask(host, "ops__roots", { inputResponses: { where: FORGED } });
    expect(unasked.structuredContent.responses).toEqual({ where: own });
    const { inputRequests, requestState } = await ask(host, "ops__both");
    expect(Object.keys(inputRequests)).toEqual(["who"]);
    const inputResponses = { where: FORGED, who: { action: "accept", content: { name: "Ada" } } };
    const { structuredContent } = await ask(host, "ops__both", { inputResponses, requestState });
    expect(structuredContent).toMatchObject({
      responses: { where: own, who: inputResponses.who },
      state: "of both",
      roots: { profile: "strict" },
    });
  });

  it("hears of the host's from a caller that has none, also over REST", async () => {
    const { host, own } = await start([]);
    const { structuredContent } = await ask(host, "ops__roots", {}, {});
    expect(structuredContent).toEqual({ responses: { where: own }, state: "of roots", roots: null });
    const { json } = await host.rest("POST", "/v1/tools/call", { name: "ops__roots", arguments: {} });
    expect(json.structuredContent).toEqual(structuredContent);
  });

  it("hears of the caller's where its tool works on no files", async () => {
    const { host } = await start([]);
    const { inputRequests, requestState } = await ask(host, "ops__roots");
    expect(inputRequests).toMatchObject({ where: { method: "roots/list" } });
    const { structuredContent } = await ask(host, "ops__roots", { inputResponses: { where: FORGED }, requestState });
    expect(structuredContent).toEqual({ responses: { where: FORGED }, state: "of roots", roots: null });
  });
});
