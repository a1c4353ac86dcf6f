/**
 * One host over the server that uses `ai.nimblebrain/host-resources`, on each wire and in each era, and one way to have it
 * ask: whichever its era has, or over HTTP with the token that it was handed.
 */
import { join } from "node:path";
import { startServer } from "./real-parts-for-tests.ts";
import { FIXTURES, serve, type Served, type ServeOptions } from "./serve-for-tests.ts";
import type { ApiClient } from "./workspace-client-for-tests.ts";

export const RESOURCES_SERVER = join(FIXTURES, "resources-server.mjs");
export const READ = "ai.nimblebrain/resources/read";
export const LIST = "ai.nimblebrain/resources/list";

/** How a bundle asks: the wire and the era, and for the modern one which of its two ways. */
export const WAYS = ["stdio", "http", "modern-stdio", "modern-http", "modern-stdio by post", "modern-http by post"];

export interface Asked {
  readonly method: string;
  readonly params?: unknown;
}

export interface Reply {
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The providers are called as the wires are. */
export const serveResources = async (options: ServeOptions = {}): Promise<Served> => {
  const remotes = await Promise.all(["http", "modern-http"].map((mode) => startServer([RESOURCES_SERVER, mode])));
  const end = (): void => remotes.forEach(({ process: child }) => void child.kill("SIGKILL"));
  try {
    const served = await serve({
      ...options,
      config: { noDefaultBundles: true, ...options.config },
      bundles: {
        stdio: { args: [RESOURCES_SERVER, "stdio"] },
        "modern-stdio": { args: [RESOURCES_SERVER, "modern-stdio"] },
        ...options.bundles,
      },
      remotes: { http: remotes[0]?.url ?? "", "modern-http": remotes[1]?.url ?? "" },
    });
    return { ...served, stop: () => served.stop().finally(end) };
  } catch (error) {
    end();
    throw error;
  }
};

/** The answers, in the order of what was asked. */
export const ask = async (client: ApiClient, way: string, asked: readonly Asked[]): Promise<readonly Reply[]> => {
  const [provider = "", by] = way.split(" ");
  if (by === "by") {
    const posts = asked.map(async (request) => {
      const { reply } = (await client.call(`${provider}__post`, { request })) as { reply: Reply };
      return reply;
    });
    return Promise.all(posts);
  }
  if (!provider.startsWith("modern")) {
    const { replies } = (await client.call(`${provider}__use`, { requests: asked })) as { replies: Reply[] };
    return replies;
  }
  const requests = Object.fromEntries(asked.map((each, index) => [`a${index}`, each]));
  const { inputResponses } = (await client.call(`${provider}__use`, { requests })) as {
    inputResponses: Record<string, Reply | object>;
  };
  return asked.map((_, index) => {
    const value = inputResponses[`a${index}`];
    return value !== undefined && "error" in value ? value : { result: value };
  });
};
