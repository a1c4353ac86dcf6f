/**
 * The subjects that are not Bailiwick. The gateways serve one stdio server over Streamable HTTP where they can, and over the
 * old SSE transport where they have that too: it is the cheaper one, since its answers share one stream.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launch } from "./launch.ts";
import { freePort, installed, program } from "./places.ts";
import { probe } from "./probe.ts";
import type { Running, Subject } from "./subject.ts";
import type { Target } from "./target.ts";

const ECHO = [process.execPath, program("echo-server")] as const;

interface Plan {
  readonly args: readonly string[];
  readonly path: string;
  readonly wire?: Target["wire"];
  readonly tool?: string;
}

const run = async (home: string, plan: (port: number) => Plan): Promise<Running> => {
  const port = await freePort();
  const { args, path, wire = "http", tool = "echo" } = plan(port);
  const launched = launch({ args, home, log: join(home, "output.log") });
  const target = { url: `http://127.0.0.1:${port}${path}`, headers: {}, wire, tool };
  await probe(target, launched);
  return { target, launched };
};

const bare: Subject = {
  id: "bare",
  title: "bare hop",
  note: "node:http and raw stdio, JSON parsed and written, no checks, no evidence",
  kind: "baseline",
  start: (home) => run(home, (port) => ({ args: [program("bare-hop"), String(port), ...ECHO], path: "/mcp" })),
};

const sdk: Subject = {
  id: "sdk",
  title: "SDK v2 handler",
  note: "createMcpHandler of @modelcontextprotocol/server, one tool that makes the same raw stdio hop",
  kind: "baseline",
  start: (home) => run(home, (port) => ({ args: [program("sdk-handler"), String(port), ...ECHO], path: "/mcp" })),
};

/** mcp-hub asks a registry on the network at its start unless it finds a fresh copy. */
const writeHubFiles = (home: string): string => {
  const cache = join(home, "data", "mcp-hub", "cache");
  mkdirSync(cache, { recursive: true });
  const registry = { version: "1", generatedAt: Date.now(), totalServers: 1, servers: [{ id: "none" }] };
  writeFileSync(
    join(cache, "registry.json"),
    JSON.stringify({ registry, lastFetchedAt: Date.now(), serverDocumentation: {} }),
  );
  const config = join(home, "servers.json");
  const [command, ...args] = ECHO;
  writeFileSync(config, JSON.stringify({ mcpServers: { echo: { command, args } } }));
  return config;
};

const hub: Subject = {
  id: "mcp-hub",
  title: "mcp-hub",
  note: "its /mcp endpoint, which speaks the SSE transport",
  kind: "gateway",
  start: (home) =>
    run(home, (port) => ({
      args: [installed("mcp-hub/dist/cli.js"), "--port", String(port), "--config", writeHubFiles(home)],
      path: "/mcp",
      wire: "sse",
      tool: "echo__echo",
    })),
};

const proxy: Subject = {
  id: "mcp-proxy",
  title: "mcp-proxy",
  note: "--server stream --no-eventStore, one session",
  kind: "gateway",
  start: (home) =>
    run(home, (port) => ({
      args: [
        installed("mcp-proxy/dist/bin/mcp-proxy.mjs"),
        "--host",
        "127.0.0.1",
        "--port",
        String(port),
        "--server",
        "stream",
        "--no-eventStore",
        "--",
        ...ECHO,
      ],
      path: "/mcp",
    })),
};

const supergateway: Subject = {
  id: "supergateway",
  title: "supergateway",
  note: "--outputTransport streamableHttp --stateful --logLevel none, one session (stateless it starts a process per call)",
  kind: "gateway",
  start: (home) =>
    run(home, (port) => ({
      args: [
        installed("supergateway/dist/index.js"),
        "--stdio",
        ECHO.join(" "),
        "--port",
        String(port),
        "--outputTransport",
        "streamableHttp",
        "--stateful",
        "--logLevel",
        "none",
      ],
      path: "/mcp",
    })),
};

const proxySse: Subject = {
  id: "mcp-proxy-sse",
  title: "mcp-proxy, SSE",
  note: "--server sse",
  kind: "gateway-sse",
  start: (home) =>
    run(home, (port) => ({
      args: [
        installed("mcp-proxy/dist/bin/mcp-proxy.mjs"),
        "--host",
        "127.0.0.1",
        "--port",
        String(port),
        "--server",
        "sse",
        "--",
        ...ECHO,
      ],
      path: "/sse",
      wire: "sse",
    })),
};

const supergatewaySse: Subject = {
  id: "supergateway-sse",
  title: "supergateway, SSE",
  note: "--outputTransport sse --logLevel none",
  kind: "gateway-sse",
  start: (home) =>
    run(home, (port) => ({
      args: [
        installed("supergateway/dist/index.js"),
        "--stdio",
        ECHO.join(" "),
        "--port",
        String(port),
        "--outputTransport",
        "sse",
        "--logLevel",
        "none",
      ],
      path: "/sse",
      wire: "sse",
    })),
};

export const BASELINES: readonly Subject[] = [bare, sdk];
export const GATEWAYS: readonly Subject[] = [hub, proxy, supergateway, proxySse, supergatewaySse];
