import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { parseConfig } from "@bailiwick/contract";
import { expect, it, onTestFinished } from "vitest";
import type { Check } from "./check.ts";
import { checkModel } from "./check-model.ts";

const SECRET = "sk-0123456789";

const check = (file: object, env: Record<string, string> = {}): Promise<Check> => {
  const { config } = parseConfig(JSON.stringify(file), { dialect: "bailiwick" });
  return checkModel({ config: config! }, env);
};

/** An endpoint that answers everything with this status. */
const openEndpoint = async (status: number) => {
  const asked: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer(({ url, headers }, res) => {
    asked.push({ url, headers });
    res.writeHead(status, { location: "http://127.0.0.1:1/" }).end(`{"error":"no ${SECRET}"}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, host, baseURL: `http://${host}/v1`, close };
};

const local = (baseURL: string, apiKey?: string): object => ({
  providers: { local: { type: "openai-compatible", baseURL, ...(apiKey !== undefined && { apiKey }) } },
  defaultModel: "local:some",
});

it("does not complain to those who want no chat, and says what to set for it", async () => {
  const { state, message } = await check({});
  expect(state).toBe("ok");
  expect(message).toContain("ANTHROPIC_API_KEY");
});

it("warns of a model that was asked for and cannot be called", async () => {
  const file = { ...local("${env:MODEL_URL}"), model: { provider: "local" } };
  expect(await check(file)).toMatchObject({ state: "warn", message: expect.stringContaining("MODEL_URL") });
});

it("asks the endpoint for its models, with the key, and follows it nowhere", async () => {
  for (const status of [200, 302, 404]) {
    const endpoint = await openEndpoint(status);
    expect(await check(local(endpoint.baseURL, SECRET))).toEqual({
      name: "model",
      state: "ok",
      message: `local:some, by the model provider "local" at ${endpoint.host}`,
      fix: null,
    });
    expect(endpoint.asked.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ["/v1/models", `Bearer ${SECRET}`],
    ]);
  }
});

it("sends Anthropic's wire its key as that wire has it", async () => {
  const { asked, baseURL } = await openEndpoint(200);
  expect(await check({ model: { baseURL } }, { ANTHROPIC_API_KEY: SECRET })).toMatchObject({ state: "ok" });
  expect(asked[0]?.headers).toMatchObject({ "x-api-key": SECRET, "anthropic-version": "2023-06-01" });
});

it.each([401, 403])(
  "warns where the key is refused with %i, and says where it is set without saying it",
  async (status) => {
    const { baseURL } = await openEndpoint(status);
    const found = await check(local(baseURL, "${env:LOCAL_KEY}"), { LOCAL_KEY: SECRET });
    expect(found).toMatchObject({ state: "warn", fix: expect.stringContaining("LOCAL_KEY") });
    expect(JSON.stringify(found)).not.toContain(SECRET);
  },
);

it("warns of an endpoint in trouble, and of one that is not there", async () => {
  const { baseURL, close, host } = await openEndpoint(503);
  expect(await check(local(baseURL))).toMatchObject({ state: "warn", message: expect.stringContaining("503") });
  close();
  const gone = `the model provider "local" at ${host} does not answer.`;
  expect(await check(local(baseURL))).toMatchObject({ state: "warn", message: gone });
});
