/** For tests: the provider over real stores in a temporary folder, with generators that a test sets. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NOBODY } from "../../kernel/ask.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { CallFacts, ProviderAnswer, ProviderMethod, ProviderRequest } from "../../kernel/provider.ts";
import { rawMembers } from "../../kernel/raw-json.ts";
import { savedPathOf } from "../configs/saved-path-of.ts";
import type { ConfigType } from "../configs/config-types.ts";
import {
  createComposeProvider,
  type ComposeProvider,
  type ComposeProviderOptions,
} from "../create-compose-provider.ts";
import { GENERATORS, VERSION } from "../documents/documents-for-tests.ts";
import { SavedConfigs } from "../storage/saved-configs.ts";
import { newVersion, openStore, temporaryDir } from "../storage/storage-for-tests.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import type { VersionStore } from "../storage/version-store.ts";
import type { GeneratorsSeen } from "../workbench.ts";
import type { ResourceParts } from "./resource-parts.ts";

export const READER = { id: "agent:reader", scopes: ["maya__*"] } as unknown as Principal;

export interface Place {
  readonly provider: ComposeProvider;
  readonly parts: ResourceParts;
  readonly versions: VersionStore;
  readonly root: string;
  /** Bugs that were reported. */
  readonly bugs: unknown[];
  /** How often the lists were said to be other ones. */
  readonly told: () => number;
  /** So much time passes. */
  readonly pass: (ms: number) => void;
  readonly setGenerators: (seen: GeneratorsSeen) => void;
  readonly store: (id: string, text: string, format?: string) => Promise<StoredVersion>;
  readonly save: (type: ConfigType, id: string, text: string) => void;
  readonly unsave: (type: ConfigType, id: string) => void;
}

export const openPlace = (options: Partial<ComposeProviderOptions> = {}): Place => {
  const root = temporaryDir();
  const versions = openStore(join(root, "data"));
  let [seen, time, told]: [GeneratorsSeen, number, number] = [{ generators: GENERATORS, rejected: [] }, 0, 0];
  const bugs: unknown[] = [];
  const parts = {
    now: () => new Date(time),
    versions,
    saved: new SavedConfigs(() => root),
    generators: { look: () => Promise.resolve(seen), seen: () => seen },
  };
  const provider = createComposeProvider({
    version: VERSION,
    tools: [],
    documents: [],
    parts,
    listsChanged: () => void told++,
    maxResultBytes: 10_000_000,
    report: (error) => bugs.push(error),
    ...options,
  });
  const pathOf = (type: ConfigType, id: string): string => join(root, savedPathOf(type, id));
  return {
    provider,
    parts,
    versions,
    root,
    bugs,
    told: () => told,
    pass: (ms) => void (time += ms),
    setGenerators: (next) => void (seen = next),
    store: (id, text, format = "markdown") => versions.add(newVersion(id, text, { format })),
    save(type, id, text) {
      mkdirSync(dirname(pathOf(type, id)), { recursive: true });
      writeFileSync(pathOf(type, id), text);
    },
    unsave: (type, id) => rmSync(pathOf(type, id)),
  };
};

export interface Asking {
  readonly method?: ProviderMethod;
  readonly params?: string;
  readonly endpoint?: string | null;
  readonly signal?: AbortSignal;
}

export const ask = (provider: ComposeProvider, name: string, asking: Asking = {}): Promise<ProviderAnswer> => {
  const { method = "resources/read", params = "", endpoint = null, signal = new AbortController().signal } = asking;
  const facts = (): CallFacts => ({ caller: READER, endpoint }) as CallFacts;
  const request: Partial<ProviderRequest> = { method, name, params: rawMembers(params), asker: NOBODY, facts, signal };
  return provider.send(request as ProviderRequest);
};

export interface ReadContents {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
  readonly description?: string;
  readonly _meta?: object;
}

export const readAt = async (provider: ComposeProvider, uri: string, asking: Asking = {}): Promise<ReadContents> => {
  const answer = await ask(provider, uri, asking);
  if (answer.kind !== "result") throw new Error(answer.kind);
  // What is sent and what is looked at are the same.
  if (JSON.stringify(answer.value) !== answer.json) throw new Error(answer.json);
  const [contents] = answer.value["contents"] as ReadContents[];
  return contents!;
};

export const documentAt = async (provider: ComposeProvider, uri: string, asking: Asking = {}): Promise<any> =>
  JSON.parse((await readAt(provider, uri, asking)).text);
