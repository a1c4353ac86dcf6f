import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Principal } from "../kernel/principal.ts";
import type { Provider } from "../kernel/provider.ts";
import {
  FIXTURES,
  fixtureManifest,
  isAlive,
  makeBundle,
  makeWorkDir,
  readLines,
  runBundles,
  toolCall,
  until,
} from "./bundles-for-tests.ts";

const ANN = { id: "person:ann", onBehalfOf: null } as Principal;
const ECHO = { name: "echo", description: "says it again" };

interface Idle {
  readonly ann: Provider;
  readonly says: (tools: readonly object[]) => void;
}

/** Somebody's own connection that ended because nobody used it; what it listed is known. */
const rest = async (pinning: string): Promise<Idle> => {
  const dir = makeWorkDir();
  const [definition, pids] = [join(dir, "definition.json"), join(dir, "pids")];
  const says = (tools: readonly object[]): void => writeFileSync(definition, JSON.stringify({ tools }));
  says([ECHO]);
  const manifest = fixtureManifest("pinned");
  const args = [join(FIXTURES, "pinned-server.mjs")];
  const mcp_config = { command: "node", args, env: { FIXTURE_DEFINITION: definition, FIXTURE_PIDS: pids } };
  makeBundle(dir, "b", { ...manifest, server: { ...(manifest["server"] as object), mcp_config } });
  const bundles = [{ path: "b", isolation: "principal", pinning }];
  const { provider } = await runBundles(dir, { bundles }, { timing: { idleMs: 200 } });
  await until(() => provider("pinned").status().state === "running");
  const ann = provider("pinned").of?.(ANN) as Provider;
  await ann.whenReady(10_000, new AbortController().signal);
  await ann.send(toolCall("echo"));
  await until(() => !readLines(pids).some(isAlive));
  return { ann, says };
};

describe("a call that opens its principal's connection anew", () => {
  test("runs where the tool is what it was", async () => {
    const { ann, says } = await rest("hold");
    says([ECHO, { name: "other" }]);
    expect(await ann.send(toolCall("echo"))).toMatchObject({ kind: "result" });
  });

  test.each(["hold", "warn", "off"])(
    "is not sent to a tool that is listed otherwise by then, under %s",
    async (pinning) => {
      const { ann, says } = await rest(pinning);
      says([{ ...ECHO, description: "does something else" }]);
      await expect(ann.send(toolCall("echo"))).rejects.toMatchObject({
        kind: "stale_surface",
        message: "echo of pinned changed while this call was on its way; nothing was sent.",
      });
    },
  );

  test("is not sent to a tool that is gone or that nobody has accepted", async () => {
    const { ann, says } = await rest("hold");
    says([{ name: "new" }]);
    await expect(ann.send(toolCall("new"))).rejects.toMatchObject({ kind: "stale_surface" });
    const gone = await rest("hold");
    gone.says([]);
    await expect(gone.ann.send(toolCall("echo"))).rejects.toMatchObject({ kind: "stale_surface" });
  });
});
