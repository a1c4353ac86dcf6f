/** The example bundle and the Python one in a whole host: with the host's files, and where they are not offered. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileInfo } from "../kernel/files.ts";
import { FIXTURES, serve, type Served } from "./serve-for-tests.ts";
import { apiClient, type ApiClient } from "./workspace-client-for-tests.ts";

const EXAMPLE = fileURLToPath(new URL("../../../examples/research", import.meta.url));
const PYTHON = join(FIXTURES, "python");
const NOT_HERE =
  "This host doesn't support ai.nimblebrain/host-resources. Pass file contents inline via `seed_data` instead.";
const SEED = "# Tides of the North Sea\nWhy two a day?";

/** The package itself lies where it is; only what its entry says differs. */
const entries = {
  research: { path: EXAMPLE },
  "research-alone": { path: EXAMPLE, hostExtensions: [] },
  python: { path: PYTHON },
  "python-alone": { path: PYTHON, hostExtensions: [] },
};

let host: Served;
let client: ApiClient;
let file: FileInfo;

beforeAll(async () => {
  const bundles = Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, { args: [], entry }]));
  host = await serve({ config: { noDefaultBundles: true }, bundles });
  client = apiClient(host.origin, host.key);
  file = await client.upload("seed.md", SEED, "text/markdown");
});
afterAll(() => host.stop());

const start = async (provider: string, args: object): Promise<[isError: boolean, text: string]> => {
  const { isError = false, content } = (await client.call(`${provider}__start_research`, args)) as {
    isError?: boolean;
    content: { text: string }[];
  };
  return [isError, content.map(({ text }) => text).join("\n")];
};

describe.each(["research", "python"])("the bundle %s", (name) => {
  it("reads the file that it is given, also where the text is passed too", async () => {
    expect(await start(name, { seed_uri: file.uri })).toEqual([
      false,
      expect.stringContaining("Tides of the North Sea"),
    ]);
    const both = await start(name, { seed_uri: file.uri, seed_data: "not this" });
    expect(both).toEqual([false, expect.stringContaining("Tides of the North Sea")]);
    const [isError] = await start(name, { seed_uri: "files://fl_000000000000000000000000" });
    expect(isError).toBe(true);
  });

  it("takes the text itself, and says what to do with neither", async () => {
    expect(await start(name, { seed_data: "Inline tides" })).toEqual([false, expect.stringContaining("Inline tides")]);
    expect(await start(name, {})).toEqual([true, expect.stringContaining("Provide `seed_data` or `seed_uri`.")]);
  });

  it("asks for the text where its entry is offered nothing, and works with it", async () => {
    const alone = `${name}-alone`;
    expect(await start(alone, { seed_uri: file.uri })).toEqual([true, expect.stringContaining(NOT_HERE)]);
    const both = await start(alone, { seed_uri: file.uri, seed_data: "Inline tides" });
    expect(both).toEqual([false, expect.stringContaining("Inline tides")]);
  });
});
