/** When what a bundle was handed for the host's extension is taken back. */
import { expect, test } from "vitest";
import { NO_PORT } from "../kernel/host-extension.ts";
import { fixtureManifest, makeBundle, makeWorkDir, runBundles, until, untilRunning } from "./bundles-for-tests.ts";

const NEVER_UP = {
  type: "node",
  entry_point: "x.js",
  mcp_config: { command: "node", args: ["-e", "process.exit(1)"] },
};

test("it is taken back from a server that stops and from one that never came up, and the next start has its own", async () => {
  const dir = makeWorkDir();
  makeBundle(dir, "good", fixtureManifest("good"));
  makeBundle(dir, "bad", { ...fixtureManifest("bad"), server: NEVER_UP });
  const seen = new Map<string, string[]>([
    ["good", []],
    ["bad", []],
  ]);
  const { provider, bundles } = await runBundles(
    dir,
    { bundles: [{ path: "good" }, { path: "bad" }] },
    {
      extensions: {
        port: ({ provider: name }) => ({
          ...NO_PORT,
          open: () => void seen.get(name)?.push("open"),
          close: () => void seen.get(name)?.push("close"),
        }),
      },
    },
  );
  await untilRunning(provider("good"));
  await until(() => provider("bad").status().state === "crashed");
  expect(seen.get("bad")?.slice(0, 2)).toEqual(["open", "close"]);
  expect(seen.get("good")).toEqual(["open"]);
  await bundles.stopOne("good");
  expect(seen.get("good")).toEqual(["open", "close"]);
  await bundles.startOne("good");
  await untilRunning(provider("good"));
  expect(seen.get("good")).toEqual(["open", "close", "open"]);
});
