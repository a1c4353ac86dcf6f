/** Gives the one call path what it needs of the configuration and of what is kept on disk. */
import type { Config } from "@bailiwick/contract";
import { createCallPath, type CallOptions, type CallPath } from "../call/create-call-path.ts";
import type { Answer, RawCall } from "../kernel/call.ts";
import type { FilesOf } from "../kernel/files.ts";
import { matchesGlob } from "../kernel/glob.ts";
import type { Workspaces } from "../workspace/workspaces.ts";
import { lastPolicy, policyOf } from "./follow-policy.ts";
import type { Stores } from "./open-stores.ts";
import { tellDataChanges, type DataChangesOptions } from "./tell-data-changes.ts";

export interface CallPathOptions extends Pick<CallOptions, "ownersOf" | "roots" | "noAuth"> {
  /** As it was when the host started. */
  readonly config: Config;
  readonly stores: Stores;
  /** As it is now. */
  readonly host: { readonly config: Config };
  readonly found: Pick<Workspaces, "isMember" | "find">;
  readonly files: FilesOf;
  readonly news: DataChangesOptions["news"];
  readonly policyChanged: CallOptions["policy"]["changed"];
  /** Looks at each answer on its way out. */
  readonly called: (raw: RawCall, answer: Answer) => void;
  /** Opens a workspace. */
  readonly open: (workspace: string) => Promise<void>;
  readonly report: (error: unknown) => void;
}

export const openCallPath = (options: CallPathOptions): CallPath => {
  const { config, stores, host, found, open, news, report } = options;
  const { keyStore, seals, chpKeys, info, taskStore, tokens, records, events } = stores;
  const { log, archive } = records;
  const path = createCallPath({
    log,
    capabilities: config.capabilities,
    roots: options.roots,
    findKey: (secret) => (tokens?.isToken(secret) ? tokens.find(secret) : keyStore.find(secret)),
    noAuth: options.noAuth,
    maxNameLength: config.mcp.maxToolNameLength,
    isMember: found.isMember,
    ownersOf: options.ownersOf,
    taskStore,
    isOpen: (invocationId) => log.kept.has(invocationId),
    spill: { files: options.files, maxResultBytes: config.mcp.maxResultBytes },
    policy: {
      host: policyOf(config),
      ofWorkspace: (workspace) => found.find(workspace)?.config?.policy ?? null,
      changed: options.policyChanged,
      last: lastPolicy(stores.inForce),
    },
    principals: config.auth.principals,
    chpKeys,
    tokens: config.auth.tokens,
    hostId: info.id,
    mandates: {
      mandates: config.chp.mandates,
      mandatePrincipals: config.auth.mandatePrincipals,
      delegates: config.auth.delegates,
      isRevoked: (mandateId, principalKey) => archive.statements.isRevoked(mandateId, principalKey),
    },
    state: log.state,
    seals,
    approvals: {
      hostId: info.id,
      signer: () => records.key.signer(),
      approverKeys: () => host.config.approvals.approverKeys,
      classifications: () => host.config.policy.classifications,
    },
    retains: (flatName) => config.evidence.retainPayloads.some((glob) => matchesGlob(glob, flatName)),
    prepare: async ({ principal, presented }) => {
      if (presented.kind === "bearer" && tokens?.needsAdmission(presented.token)) await tokens.admit(presented.token);
      await open(principal.workspace);
    },
    lifecycleChanged: (change) => void events.write("lifecycle_changed", "lifecycle", change).catch(report),
    reportBug: report,
  });
  const tell = tellDataChanges({ surfaces: path.surfaces, news });
  const { handleCall } = path;
  return {
    ...path,
    async handleCall(raw) {
      const answer = await handleCall(raw);
      tell(raw, answer);
      options.called(raw, answer);
      return answer;
    },
  };
};
