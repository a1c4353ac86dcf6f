/**
 * A whole host that is attacked through its doors. Around its one root lie files that nothing may read, change or remove, and
 * in its environment is a secret: after each test they are as they were, and nothing that anybody can see holds them.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { openSession } from "../transport/client-for-tests.ts";
import { makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

interface Told {
  readonly status: number;
  /** `success`, or the code of what failed. */
  readonly code: string;
  readonly message: string;
  /** What the tool answered, or what the host said instead. */
  readonly answer: any;
}

export interface Attacked {
  readonly place: Place;
  readonly host: WholeHost;
  readonly root: string;
  /** Beside the root, with `secret.txt` in it. */
  readonly outside: string;
  readonly call: (tool: string, args?: object) => Promise<Told>;
  readonly generate: (id: string, args?: object) => Promise<Told>;
  /** As somebody who may write into the root could, without any check. */
  readonly write: (path: string, text: string) => string;
  /** A saved content config; `more` replaces members of a valid one. */
  readonly content: (id: string, pattern: object | null, more?: object) => void;
  readonly artifact: (id: string, children: readonly object[], metadata?: object) => void;
  /** Into the folder of all workspaces. */
  readonly plugin: (name: string, text: string) => string;
  /** The answer of JSON-RPC at `/mcp`. */
  readonly read: (uri: string) => Promise<any>;
  /** Of `capabilities://`, over REST. */
  readonly document: (type: string) => Promise<any>;
  /** The host still answers, and does so with the five generators that it comes with. */
  readonly lives: () => Promise<void>;
}

/** What lies outside the root. */
export const CANARY = "canary-5f1c7e";
/** What is in the host's environment. */
export const SECRET = "hunter2-9b3e60aa17";
export const SECRET_NAME = "ATTACK_TOKEN";

const schemaRef = { id: "content-schema", version: "3.1" };

/** `settings`: more of the configuration. */
export const startAttacked = async (settings: object = {}): Promise<Attacked> => {
  vi.stubEnv(SECRET_NAME, SECRET);
  onTestFinished(() => void vi.unstubAllEnvs());
  const place = makePlace();
  const dir = realpathSync(place.dir);
  const [root, outside] = [join(dir, "project"), join(dir, "outside")];
  const write = (path: string, text: string): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  for (const folder of [root, join(outside, "templates"), join(dir, "project-beside"), join(dir, "templates")])
    mkdirSync(folder, { recursive: true });
  for (const file of [
    "outside/secret.txt",
    "outside/secret.json",
    "outside/templates/t.md",
    "project-beside/secret.txt",
  ])
    writeFileSync(join(dir, file), `"${CANARY} ${file}"`);
  for (const file of ["secret.txt", "secret-content.json", "templates/secret.md"])
    writeFileSync(join(dir, file), CANARY);
  place.configure({ capabilities: { roots: { list: [{ name: "project", path: "project" }] } }, ...settings });
  const host = await place.start();
  const seen: string[] = [];
  const around = aroundOf(dir);
  const before = around();
  onTestFinished(() => {
    expect(around()).toEqual(before);
    const shown = [...seen, ...textsBelow(root), ...textsBelow(place.workDir)];
    for (const hidden of [CANARY, SECRET, host.key]) expect(shown.filter((text) => text.includes(hidden))).toEqual([]);
  });
  let session: ReturnType<typeof openSession> | null = null;
  const attacked: Attacked = {
    place,
    host,
    root,
    outside,
    write,
    async call(tool, args = {}) {
      const { status, json } = await host.rest("POST", "/v1/tools/call", { name: `compose__${tool}`, arguments: args });
      seen.push(JSON.stringify(json));
      const answer = json.structuredContent ?? json;
      const { code, message } =
        answer.error?.code === undefined ? { code: json.error, message: json.message } : answer.error;
      expect(json.isError === true).toBe(answer.success === false);
      return { status, code: answer.success === true ? "success" : code, message: message ?? "", answer };
    },
    content: (id, pattern, more = {}) =>
      void write(`configs/content/${id}/${id}-content.json`, JSON.stringify({ ...contentOf(id, pattern), ...more })),
    artifact: (id, children, metadata = {}) =>
      void write(`configs/artifacts/${id}-artifact.json`, JSON.stringify(artifactOf(id, children, metadata))),
    plugin(name, text) {
      const folder = join(place.workDir, "plugins/generators");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
    async read(uri) {
      session ??= openSession(host.origin, "2025-11-25", "/mcp", host.key);
      const { text, json } = await (await session).call("resources/read", { uri });
      seen.push(text);
      return Array.isArray(json) ? json.at(-1) : json;
    },
    generate: (id, args = {}) => attacked.call("generate_content", { content_config_id: id, ...args }),
    document: async (type) => {
      const { json } = await host.rest("GET", `/v1/capabilities/${type}`);
      seen.push(JSON.stringify(json));
      return json;
    },
    async lives() {
      const { answer } = await attacked.call("list_generators", { generator_type: "builtin" });
      expect(answer.total_count).toBe(5);
    },
  };
  return attacked;
};

/** A plug-in of one function body, which may use what a generator is given. */
export const pluginText = (type: string, body: string, more = ""): string =>
  `export default { type: "${type}", version: "1.0.0", ${more}
  async generate({ config, pattern, context, signal }) { ${body} } };\n`;

/** Names in a folder and all below it. */
export const namesBelow = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true, encoding: "utf8" }).toSorted();

const contentOf = (id: string, pattern: object | null): object => ({
  type: "content",
  id,
  schemaRef,
  metadata: { description: "A text.", version: "1.0.0" },
  elements: [{ name: "body" }],
  ...(pattern === null ? {} : { generation: { patterns: [{ id: "p", ...pattern }] } }),
});

const artifactOf = (id: string, children: readonly object[], metadata: object): object => ({
  type: "artifact",
  id,
  schemaRef,
  metadata: { title: "T", purpose: "P", outputs: [{ file: `${id}.md`, format: "markdown" }], ...metadata },
  content: { children },
});

/** All that lies outside the root and is not the host's own. */
const aroundOf = (dir: string) => (): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {};
  walk(dir, (path) => {
    if (path === join(dir, "project") || path === join(dir, "work")) return false;
    const facts = lstatSync(path);
    found[path] = facts.isSymbolicLink()
      ? `-> ${readlinkSync(path)}`
      : facts.isFile()
        ? readFileSync(path, "utf8")
        : "";
    return true;
  });
  return found;
};

/** Names and what is in the files, links not followed. */
const textsBelow = (dir: string): readonly string[] => {
  const found: string[] = [];
  walk(dir, (path) => {
    found.push(path);
    if (lstatSync(path).isFile() && !path.endsWith("owner.key")) found.push(readFileSync(path, "latin1"));
    return true;
  });
  return found;
};

/** `look`: whether to go into it, if it is a folder. */
const walk = (folder: string, look: (path: string) => boolean): void => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (look(path) && lstatSync(path).isDirectory()) walk(path, look);
  }
};
