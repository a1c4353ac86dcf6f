/**
 * What the skills extension demands of an entry and of a file, judged by the SDK's own client. It is given what an upstream
 * has already answered; nothing is fetched here. Loaded when the first upstream with skills is met: it is large.
 */
import type { SkillsClient } from "@modelcontextprotocol/client/ext/skills";

type Result = Readonly<Record<string, unknown>>;
type Answers = Readonly<Record<string, unknown>>;
type Transport = Parameters<import("@modelcontextprotocol/client").Client["connect"]>[0];

const OPENED = {
  protocolVersion: "2025-11-25",
  capabilities: { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } },
  serverInfo: { name: "relayed", version: "0.0.0" },
};

/** A server that says what it was given. */
const serverOf = (answers: Answers): Transport => {
  const server: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(server.onclose?.()),
    send: (message) => {
      if ("method" in message && "id" in message) {
        const result = message.method === "initialize" ? OPENED : answers[message.method];
        queueMicrotask(() => server.onmessage?.({ jsonrpc: "2.0", id: message.id, result: result as Result }));
      }
      return Promise.resolve();
    },
  };
  return server;
};

const judge = async <T>(answers: Answers, ask: (skills: SkillsClient) => Promise<T>): Promise<T> => {
  const [{ Client }, skills] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/client/ext/skills"),
  ]);
  const client = new Client({ name: "bailiwick", version: "0.0.0" });
  await client.connect(serverOf(answers));
  try {
    return await ask(new skills.SkillsClient(client, { skipInvalid: true }));
  } finally {
    await client.close();
  }
};

/** Why each of these entries of `skills/list` cannot be served; null where it can. */
export const skillDefects = async (entries: readonly unknown[]): Promise<readonly (string | null)[]> => {
  const { invalid } = await judge({ "skills/list": { skills: entries } }, (skills) => skills.list());
  const reasons = new Map(invalid.map(({ index, reason }) => [index, reason]));
  return entries.map((_, index) => reasons.get(index) ?? null);
};

export interface SkillFileRead {
  /** The entry of its skill. */
  readonly skill: unknown;
  readonly uri: string;
  /** What `resources/read` answered. */
  readonly result: unknown;
}

/** How a file differs from what its skill's entry says: size, SHA-256, front matter, not in it at all; null: in nothing. */
export const skillFileDefect = async ({ skill, uri, result }: SkillFileRead): Promise<string | null> => {
  try {
    await judge({ "resources/read": result }, (skills) => skills.read(skill as Parameters<typeof skills.read>[0], uri));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
