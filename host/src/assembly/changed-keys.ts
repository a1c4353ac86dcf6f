/** Which keys of two configurations differ, and what of a new one holds before the next start of the host. Pure. */
import type { Config } from "@bailiwick/contract";

/** Read anew at each use, for every bundle that is made, or for every run of the agent. */
const LIVE: ReadonlySet<string> = new Set([
  "$schema",
  "version",
  "bundles",
  "noDefaultBundles",
  "hostResources",
  "policy",
  "capabilities",
  "skillDirs",
  "registries",
  "manifestProfile",
  "restart",
  "sandbox",
  "allowInsecureRemotes",
  "allowPrivateRemotes",
  "model",
  "providers",
  "defaultModel",
  "maxIterations",
  "maxInputTokens",
  "maxOutputTokens",
  "maxDirectTools",
  "agents",
  "identity",
  "features",
]);

/** The one part of `approvals` that holds at once, and how it is told. */
const RUN_WAIT = "approvals.runWaitSeconds";

/** What a file says, and nothing that holds by itself. */
const NO_KEY = "given";

export interface ChangedKeys {
  /** The new configuration as far as it holds at once, over what the host was started with. */
  readonly inForce: Config;
  readonly live: readonly string[];
  /** All that differ from the start of the host, whenever they were changed. */
  readonly needRestart: readonly string[];
}

export interface Configs {
  readonly boot: Config;
  /** What holds now. */
  readonly now: Config;
  readonly after: Config;
}

export const changedKeys = ({ boot, now, after }: Configs): ChangedKeys => {
  const { runWaitSeconds } = after.approvals;
  const isLive = ([key]: readonly [string, unknown]): boolean => LIVE.has(key) || key === NO_KEY;
  const inForce = [...Object.entries(boot).filter((each) => !isLive(each)), ...Object.entries(after).filter(isLive)];
  const started = withRunWait(boot, runWaitSeconds);
  return {
    inForce: withRunWait(Object.fromEntries(inForce) as unknown as Config, runWaitSeconds),
    live: [
      ...differing(now, after).filter((key) => LIVE.has(key)),
      ...(now.approvals.runWaitSeconds === runWaitSeconds ? [] : [RUN_WAIT]),
    ],
    needRestart: differing(started, after).filter((key) => !LIVE.has(key)),
  };
};

const withRunWait = (config: Config, runWaitSeconds: number): Config => ({
  ...config,
  approvals: { ...config.approvals, runWaitSeconds },
});

const differing = (a: Config, b: Config): readonly string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (key) => key !== NO_KEY && JSON.stringify(member(a, key)) !== JSON.stringify(member(b, key)),
  );

const member = (config: Config, key: string): unknown => (config as unknown as Record<string, unknown>)[key];
