/**
 * The host a command talks to: the running one of its work directory, else one that is started in this process for the
 * moment. Only the latter loads the rooms.
 */
import type { Answer } from "../kernel/call.ts";
import { shapeAnswer } from "../call/result/shape-answer.ts";
import { attachRunning } from "./attach-running.ts";
import type { Host } from "./host.ts";
import { refuseUnavailable, type LoadedConfig } from "./load-config.ts";
import type { CallReport, ReachedHost } from "./reached-host.ts";

export interface ReachHostOptions {
  readonly loaded: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
  /**
   * Whom to wait for in process: nothing is started (`none`), nobody (`open`), all, or one provider (all, if there is none
   * of that name).
   */
  readonly need: "none" | "open" | "all" | { readonly provider: string };
  /** Absent: the owner's own. */
  readonly workspace?: string;
  readonly report: (error: unknown) => void;
  /** Called when a wait begins, with the names that are still starting. */
  readonly onWait: (names: readonly string[]) => void;
}

/** Longer than any start may take, so that a provider always says itself how its start ended. */
const SETTLE_MS = 45_000;

export const reachHost = async (options: ReachHostOptions): Promise<ReachedHost> =>
  (await attachRunning(options.loaded.workDir, options.workspace)) ?? startHere(options);

const startHere = async ({ need, onWait, ...order }: ReachHostOptions): Promise<ReachedHost> => {
  refuseUnavailable(order.loaded);
  const { createHost } = await import("./create-host.ts");
  const host = await createHost({ ...order, door: "cli" });
  if (need !== "none") {
    try {
      await host.start();
      if (need !== "open") await settle(host, need === "all" ? null : need.provider, onWait);
    } catch (error) {
      await host.stop();
      throw error;
    }
  }
  return {
    origin: null,
    tools: (query, filter) => Promise.resolve(host.tools(query, filter)),
    providers: () => Promise.resolve(host.providers()),
    call: async (name, args, call) => reportOf(await host.call(name, args, call)),
    explain: (name, args, asked) => host.explain(name, args, asked),
    policy: () => host.policy(),
    approvals: host.approvals,
    evidence: host.evidence,
    keys: host.keys,
    hostKeys: host.hostKeys,
    removal: host.removal,
    bundles: host.bundles,
    capabilities: host.capabilities,
    skills: host.skills,
    roots: host.roots,
    chat: (message, chat) => host.chat(message, chat),
    conversations: host.conversations,
    prompt: (asked) => host.prompt(asked),
    match: (asked) => host.match(asked),
    close: () => host.stop(),
  };
};

/** Until the provider, or every one, has left `starting`. */
const settle = async (host: Host, wanted: string | null, onWait: ReachHostOptions["onWait"]): Promise<void> => {
  const isKnown = host.providers().some(({ name }) => name === wanted);
  const starting = (): string[] =>
    host
      .providers()
      .filter(({ name, status }) => status.state === "starting" && (!isKnown || name === wanted))
      .map(({ name }) => name);
  const names = starting();
  if (names.length === 0) return;
  onWait(names);
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, SETTLE_MS);
  const unsubscribe = host.onProviderChange(() => {
    if (starting().length === 0) resolve();
  });
  // A change may have come between the first look and the subscription.
  if (starting().length === 0) resolve();
  await promise;
  clearTimeout(timer);
  unsubscribe();
};

/** Over REST a result carries its evidence id; the terminal shows the same. */
const reportOf = (answer: Answer): CallReport => {
  const json = answer.ending.kind === "result" ? shapeAnswer.rest(answer).json : shapeAnswer.mcp(answer, "call").json;
  return { answer, json };
};
