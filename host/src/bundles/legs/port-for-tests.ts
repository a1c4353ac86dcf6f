/**
 * For tests of the legs: an extension that answers from a table, since the real one is another room's, and a connection to
 * the server that makes use of it.
 */
import { askError } from "../../kernel/ask.ts";
import { notOffered, type ExtensionPort } from "../../kernel/host-extension.ts";
import { rawJson, rawMembers } from "../../kernel/raw-json.ts";
import type { Connection } from "../connection.ts";
import { connectHttp } from "./connect-http.ts";
import { connectSse } from "./connect-sse.ts";
import { connectStdio } from "./connect-stdio.ts";
import { fixture, LIMITS, NO_EVENTS, startHttp, startProcess } from "./process-for-tests.ts";

const READ = "ai.nimblebrain/resources/read";
export const LIST = "ai.nimblebrain/resources/list";
export const ADVERTISED = '"ai.nimblebrain/host-resources":{"read":{"enabled":true,"range":false},"n":1.0}';
export const TOLD = '"ai.nimblebrain/host-resources":{"endpoint":"http://127.0.0.1:1/ext","token":"bwx_secret"}';

export interface TestPort extends ExtensionPort {
  readonly served: { readonly method: string; readonly params: unknown }[];
  readonly declined: TestPort["served"];
  /** How many were served at once, at most. */
  most(): number;
}

/** A read of `files://<n>` gives n characters. */
export const createPort = (): TestPort => {
  const served: TestPort["served"] = [];
  const declined: TestPort["served"] = [];
  let [now, most] = [0, 0];
  return {
    offered: ["ai.nimblebrain/host-resources"],
    members: rawMembers(ADVERTISED),
    meta: () => rawMembers(TOLD),
    served,
    most: () => most,
    open: () => {},
    close: () => {},
    decline: async (method, params, error) => {
      declined.push({ method, params });
      return error;
    },
    declined,
    serve: async (method, params) => {
      served.push({ method, params });
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      if (method === LIST) return { kind: "result", json: rawJson('{"resources":[], "n":1.0}') };
      if (method !== READ) return notOffered(method);
      const { uri } = params as { uri: string };
      const length = Number(uri.slice("files://".length));
      if (Number.isNaN(length)) return askError(-32002, "none", { uri });
      return { kind: "result", json: rawJson(JSON.stringify({ contents: [{ uri, text: "x".repeat(length) }] })) };
    },
  };
};

export const read = (of: number | string): { method: string; params: object } => ({
  method: READ,
  params: { uri: `files://${of}` },
});

const SERVER = fixture("resources-server.mjs");
const RULES = { allowInsecureRemotes: true, allowPrivateRemotes: [] };

/** `ending` is done at the end of the test, the last first. */
export const connectTo = async (
  mode: string,
  port: ExtensionPort | undefined,
  ending: (() => unknown)[],
): Promise<Connection> => {
  const common = { limits: LIMITS, events: NO_EVENTS, signal: new AbortController().signal, hostVersion: "0.0.0" };
  const options = port === undefined ? common : { ...common, port };
  if (mode.endsWith("stdio")) {
    const child = startProcess([SERVER, mode]);
    ending.push(() => child.stop());
    return connectStdio(child, options);
  }
  const { port: number, stop } = await startHttp([SERVER, mode]);
  ending.push(stop);
  const at = { ...options, url: `http://127.0.0.1:${number}/mcp`, headers: {}, rules: RULES };
  const connection = await (mode === "sse" ? connectSse(at) : connectHttp(at));
  ending.push(() => connection.close("the test is over"));
  return connection;
};
