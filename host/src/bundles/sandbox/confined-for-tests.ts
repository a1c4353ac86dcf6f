/** What the tests of processes share: a bundle that tries what it is told to, and whether this machine can confine one. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { Provider } from "../../kernel/provider.ts";
import { rawMembers } from "../../kernel/raw-json.ts";
import { FIXTURES, fixtureManifest, makeBundle, textOf, toolCall } from "../bundles-for-tests.ts";
import { findBwrap } from "./find-bwrap.ts";

const found = await findBwrap(process.env["PATH"] ?? "");

/** Why nothing can be confined here; null: it can. */
export const unconfinable: string | null = found.ok ? null : found.reason;

/** For a title, so that a run says what it left out. */
export const unlessUnconfinable = unconfinable === null ? "" : ` (left out: ${unconfinable})`;

/** `<dir>/<name>` with a server in it that takes the steps it is told to. */
export const makeTrier = (dir: string, name: string, env: Readonly<Record<string, string>> = {}): string => {
  const manifest = fixtureManifest(name) as { server: { mcp_config: object } };
  manifest.server.mcp_config = { command: "node", args: ["${__dirname}/bundle-server.mjs"], env };
  const path = makeBundle(dir, name, manifest);
  copyFileSync(join(FIXTURES, "confined-server.mjs"), join(path, "bundle-server.mjs"));
  return path;
};

/** What came of one step. */
export const attempt = async (provider: Provider, step: Readonly<Record<string, unknown>>): Promise<string> =>
  textOf(
    await provider.send({ ...toolCall("try"), params: rawMembers(`"name":"try","arguments":${JSON.stringify(step)}`) }),
  );

export interface ProcessFacts {
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly pid: number;
}

export const factsOf = async (provider: Provider): Promise<ProcessFacts> =>
  JSON.parse(await attempt(provider, { step: "env" })) as ProcessFacts;
