import { parseConfig } from "@bailiwick/contract";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Principal } from "../kernel/principal.ts";
import type { Provider } from "../kernel/provider.ts";
import {
  fixtureManifest,
  isAlive,
  makeBundle,
  makeWorkDir,
  readLines,
  runBundles,
  toolCall,
  until,
} from "./bundles-for-tests.ts";
import type { Bundles } from "./create-bundles.ts";

const NEVER = new AbortController().signal;
const ANN = { id: "person:ann", onBehalfOf: null } as Principal;

type Isolation = "shared" | "principal";

interface Changing {
  readonly bundles: Bundles;
  /** Who calls it now. */
  readonly caller: () => Provider;
  /** Another value in the entry each time, so that it is another bundle of the same name. */
  readonly change: (more?: object) => Promise<unknown>;
  readonly pids: string;
  /** Ends the call that the first one has in flight. */
  readonly endCall: () => Promise<unknown>;
}

/** A bundle with a call in flight, which is why it does not go at once when its entry changes. */
const runBusy = async (isolation: Isolation): Promise<Changing> => {
  const dir = makeWorkDir();
  const [pids, calls, release] = [join(dir, "pids"), join(dir, "calls"), join(dir, "release")];
  const env = { FIXTURE_PIDS: pids, FIXTURE_CALLS: calls, FIXTURE_RELEASE: release };
  makeBundle(dir, "b", fixtureManifest("fixture", env));
  let round = 0;
  const configOf = (more: object) => {
    const bundles = [{ path: "b", isolation, env: { ROUND: String(round++) }, ...more }];
    return parseConfig(JSON.stringify({ noDefaultBundles: true, bundles }), { dialect: "bailiwick" }).config!;
  };
  const config = { ...configOf({}) };
  const { bundles, provider } = await runBundles(dir, {}, { config });
  const caller = (): Provider => provider("fixture").of?.(ANN) ?? provider("fixture");
  const change = (more = {}): Promise<unknown> =>
    bundles.apply({
      take: () => {
        Object.assign(config, configOf(more));
        return Promise.resolve(true);
      },
      commit: () => Promise.resolve(),
      undo: () => {},
    });
  await until(() => caller().status().state === "running");
  const call = caller().send(toolCall("wait"));
  await until(() => readLines(calls).length === 1);
  const endCall = async (): Promise<unknown> => {
    writeFileSync(release, "");
    return call;
  };
  return { bundles, caller, change, pids, endCall };
};

const WAYS: readonly (readonly [string, (changing: Changing) => Promise<unknown>])[] = [
  ["restarted", ({ bundles }) => bundles.restartOne("fixture")],
  [
    "stopped and started",
    async ({ bundles }) => {
      await Promise.race([bundles.stopOne("fixture"), sleep(200)]);
      await bundles.startOne("fixture");
    },
  ],
  ["changed once more", ({ change }) => change()],
  [
    "disabled and started by a person",
    async ({ bundles, change }) => {
      await change({ enabled: false });
      await bundles.startOne("fixture");
    },
  ],
];

describe.each<Isolation>(["shared", "principal"])("a changed bundle, %s", (isolation) => {
  test.each(WAYS)("that is %s starts no process before the one it replaces is gone", async (_way, act) => {
    const changing = await runBusy(isolation);
    const [first = ""] = readLines(changing.pids);
    await changing.change();
    const acted = act(changing);
    await Promise.race([acted, sleep(200)]);
    // Where nothing held it back it would be up by now.
    await changing.caller().whenReady(300, NEVER);
    expect([readLines(changing.pids).length, isAlive(first)]).toEqual([1, true]);
    await changing.endCall();
    await acted;
    await until(() => {
      void changing.caller().whenReady(100, NEVER);
      return readLines(changing.pids).length === 2;
    });
    expect(isAlive(first)).toBe(false);
  });
});
