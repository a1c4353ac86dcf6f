/** Opens what the host keeps on disk, the evidence log last. Whatever fails leaves nothing open. */
import { hostInfo } from "./host-info.ts";
import type { HostInfo } from "../kernel/host-info.ts";
import type { HostKeys } from "../kernel/host-keys.ts";
import type { Seals } from "../kernel/seal.ts";
import type { TaskStore } from "../kernel/tasks.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import { readHostId } from "../storage/host-identity.ts";
import { openKeyStore } from "../storage/key-store.ts";
import { openSeals } from "../storage/open-seals.ts";
import { openUriOwners, type StoredUriOwners } from "../storage/open-uri-owners.ts";
import { openTaskStore } from "../storage/task-store.ts";
import { checkAuth, listenedHosts } from "./check-auth.ts";
import { readInForce, type InForce } from "./in-force.ts";
import { keepSigningKey } from "./keep-signing-key.ts";
import type { LoadedConfig } from "./load-config.ts";
import { makeWorkDir } from "./make-work-dir.ts";
import { openRecords, type Records } from "./open-records.ts";
import { openTokens, type HostTokens } from "./open-tokens.ts";
import { createHostEvents, type HostEvents } from "./record-host-events.ts";

interface StoresOptions {
  readonly loaded: Pick<LoadedConfig, "config" | "workDir">;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (error: unknown) => void;
}

export interface Stores {
  readonly keyStore: ReturnType<typeof openKeyStore>;
  readonly seals: Seals;
  readonly chpKeys: ReturnType<typeof checkAuth>;
  readonly info: HostInfo;
  readonly taskStore: TaskStore;
  readonly uris: Map<string, StoredUriOwners>;
  readonly tokens: HostTokens | null;
  readonly records: Records;
  readonly events: HostEvents;
  readonly inForce: InForce;
  readonly hostKeys: HostKeys;
  close(): Promise<void>;
}

/** A task that is under way keeps its call open over a restart. */
const openCallsOf = (tasks: TaskStore): readonly string[] =>
  [...tasks.records()].filter(({ endedAt }) => endedAt === null).map(({ invocation }) => invocation.id);

export const openStores = async ({ loaded, env, report }: StoresOptions): Promise<Stores> => {
  const { config, workDir } = loaded;
  makeWorkDir(workDir);
  const keyStore = openKeyStore(workDir);
  for (const note of keyStore.notes) report(note);
  const seals = openSeals(workDir, report);
  const chpKeys = checkAuth(config, { env, hosts: listenedHosts(config) });
  const id = readHostId(workDir, config.host.id);
  const info = hostInfo(config, id);
  const { environment } = info;
  const taskStore = openTaskStore(workDir, seals);
  const uris = new Map([[DEFAULT_WORKSPACE, openUriOwners(workDir, report)]]);
  const tokens = await openTokens(config, report);
  // Last of what may fail, but for the first record in it: its thread would keep the process and the directory's lock.
  const keepOpen = openCallsOf(taskStore);
  const records = await openRecords({ workDir, config, env, hostId: id, environment, keepOpen }).catch(
    (error: unknown) => {
      tokens?.close();
      throw error;
    },
  );
  const close = async (): Promise<void> => {
    tokens?.close();
    records.close();
    await records.log.close();
  };
  try {
    if (records.key.note !== null) report(records.key.note);
    const events = createHostEvents(records.log, id, report);
    const inForce = readInForce(records.log.state);
    const hostKeys = await keepSigningKey({ key: records.key, log: records.log, events });
    return { keyStore, seals, chpKeys, info, taskStore, uris, tokens, records, events, inForce, hostKeys, close };
  } catch (error) {
    await close();
    throw error;
  }
};
