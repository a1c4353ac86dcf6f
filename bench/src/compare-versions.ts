/**
 * The same requests to a host with many stored versions and to one without any, in turns; both have the same saved configs.
 */
import { join } from "node:path";
import { spawnHost, startHost, targetOf } from "./bailiwick.ts";
import { contentIds, writeConfigs, writeVersions } from "./compose-place.ts";
import type { VersionsFinding } from "./findings.ts";
import { type McpClient, openClient } from "./mcp-client.ts";
import { median } from "./median.ts";
import type { Timing } from "./timing.ts";
import { untilListening } from "./until-listening.ts";

const CONTENTS = 100;
const EACH = 100;
const STARTS = 3;
const ID = "content-50";
const URIS = ["", "server", "tools", "resources", "generators", "host", "skills"].map(
  (type) => `capabilities://${type}`,
);

interface Step {
  readonly what: string;
  /** Its answer shows what is stored, so it may take longer. */
  readonly isList: boolean;
  /** How many milliseconds it took. */
  readonly run: (client: McpClient) => Promise<number>;
}

/** Each context is another, so that no text is a repetition. */
let contexts = 0;

const generate = async (client: McpClient): Promise<number> => {
  const args = { content_config_id: ID, context: { number: ++contexts } };
  const { text, ms } = await client.call("compose__generate_content", args);
  if (!text.includes(`Number ${contexts}.`)) throw new Error(`another text was made: ${text.slice(0, 300)}`);
  return ms;
};

const readAll = async (client: McpClient): Promise<number> => {
  let sum = 0;
  for (const uri of URIS) sum += (await client.ask("resources/read", { uri })).ms;
  return sum;
};

const list = async (client: McpClient): Promise<number> => (await client.ask("resources/list")).ms;

const query = async (client: McpClient, args: object): Promise<number> => {
  const { text, ms } = await client.call("compose__query_ephemeral_storage", { strategy: "latest", ...args });
  if (!text.includes(ID)) throw new Error(`nothing is stored: ${text.slice(0, 300)}`);
  return ms;
};

const afterNewText =
  (run: Step["run"]): Step["run"] =>
  async (client) => {
    await generate(client);
    return run(client);
  };

const SAME = { content_config_id: "content-51", context: { number: 0 } };

const again = async (client: McpClient): Promise<number> => {
  const { text, ms } = await client.call("compose__generate_content", SAME);
  if (!text.includes("already_exists")) throw new Error(`it was made anew: ${text.slice(0, 300)}`);
  return ms;
};

/** In an order in which what is asked after a new text is asked again before there is another. */
const STEPS: readonly Step[] = [
  { what: "generate_content, a new text", isList: false, run: generate },
  { what: "resources/list, first page after a new text", isList: true, run: afterNewText(list) },
  { what: "resources/list, first page", isList: true, run: list },
  { what: "all documents of capabilities:// after a new text", isList: false, run: afterNewText(readAll) },
  { what: "all documents of capabilities://", isList: false, run: readAll },
  {
    what: "query_ephemeral_storage, the latest of one content",
    isList: false,
    run: (to) => query(to, { content_id: ID }),
  },
  { what: "query_ephemeral_storage, the latest of each content", isList: true, run: (to) => query(to, {}) },
  { what: "generate_content, the latest text again", isList: false, run: again },
];

interface Side {
  readonly home: string;
  readonly workDir: string;
  readonly settings: object;
}

const makeSide = (home: string, each: number): Side => {
  const [workDir, root] = [join(home, "work"), join(home, "project")];
  const ids = contentIds(CONTENTS);
  writeConfigs(root, ids, { type: "template_fill", template: "Number {{number}}." });
  writeVersions(workDir, each === 0 ? [] : ids, each);
  return { home, workDir, settings: { capabilities: { roots: { list: [{ name: "project", path: root }] } } } };
};

/** Until it listens, and until it has answered, beside which it reads what is stored. */
const startOnce = async (side: Side): Promise<{ readonly listening: number; readonly read: number }> => {
  const from = performance.now();
  const host = await spawnHost(side);
  await untilListening(host);
  const listening = performance.now() - from;
  const client = await openClient(targetOf(host));
  await client.ask("resources/read", { uri: "capabilities://server" });
  const read = performance.now() - from;
  await client.close();
  await host.launched.stop();
  return { listening, read };
};

const compareStarts = async (sides: readonly [Side, Side], timing: Timing): Promise<VersionsFinding["rows"]> => {
  const taken = sides.map(() => ({ listening: [] as number[], read: [] as number[] }));
  for (let turn = 0; turn < Math.min(timing.starts, STARTS); turn++) {
    for (const [index, side] of sides.entries()) {
      const { listening, read } = await startOnce(side);
      taken[index]?.listening.push(listening);
      taken[index]?.read.push(read);
    }
  }
  const [none, many] = taken;
  const row = (what: string, key: "listening" | "read"): VersionsFinding["rows"][number] => ({
    what,
    isList: key === "read",
    noneMs: median(none?.[key] ?? []),
    manyMs: median(many?.[key] ?? []),
  });
  return [row("start until it listens", "listening"), row("start until capabilities://server is answered", "read")];
};

/** Both sides in turns at each step, round after round; the first round is for nothing. */
const compareSteps = async (
  clients: readonly [McpClient, McpClient],
  timing: Timing,
): Promise<VersionsFinding["rows"]> => {
  const taken = STEPS.map(() => ({ none: [] as number[], many: [] as number[] }));
  const [none, many] = clients;
  for (const { run } of STEPS) for (const client of clients) await run(client);
  const until = performance.now() + timing.windowMs * 2;
  while (performance.now() < until) {
    for (const [index, { run }] of STEPS.entries()) {
      taken[index]?.none.push(await run(none));
      taken[index]?.many.push(await run(many));
    }
  }
  return STEPS.map(({ what, isList }, index) => ({
    what,
    isList,
    noneMs: median(taken[index]?.none ?? []),
    manyMs: median(taken[index]?.many ?? []),
  }));
};

/** Its host has so many versions, and then the text that is asked for again. */
const openSide = async (side: Side, versions: number): Promise<McpClient> => {
  const client = await openClient((await startHost(side)).target);
  const { text } = await client.call("compose__query_ephemeral_storage", { limit: 1 });
  const stored = Number(/"version_count":(\d+)/.exec(text.replaceAll("\\", ""))?.[1]);
  if (stored !== versions) throw new Error(`${versions} versions were written, the host has ${stored}`);
  await client.call("compose__generate_content", SAME);
  return client;
};

export const compareVersions = async (home: string, timing: Timing): Promise<VersionsFinding> => {
  const sides = [makeSide(join(home, "none"), 0), makeSide(join(home, "many"), EACH)] as const;
  const starts = await compareStarts(sides, timing);
  const clients = [await openSide(sides[0], 0), await openSide(sides[1], CONTENTS * EACH)] as const;
  const steps = await compareSteps(clients, timing);
  for (const client of clients) await client.close();
  return { versions: CONTENTS * EACH, contents: CONTENTS, rows: [...steps, ...starts] };
};
