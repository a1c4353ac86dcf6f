/** A bundle as people see it: in a list, and with all that one may want to know before trusting it. */
import { BASH_NAME } from "../bundles/bash/locate-bash.ts";
import type { KeptBundle } from "../bundles/make-bundle.ts";
import { offeredExtensions } from "../bundles/offered-extensions.ts";
import type { BundleDetail, BundleSeen } from "../kernel/bundle-admin.ts";
import type { TokenStore } from "../kernel/token-store.ts";
import { readValues } from "./stored-values.ts";
import { userFields } from "./user-fields.ts";
import type { WorkspaceRoom } from "./workspace-room.ts";

export const showBundle = ({ name, entry, bundle }: KeptBundle): BundleSeen => {
  const { state, reason, next, ...health } = bundle.health();
  const facts = bundle.facts();
  const refusal = bundle.refusal();
  return {
    ...health,
    name,
    bundleName: facts?.name ?? (entry.kind === "name" ? entry.name : null),
    source: entry.kind === "name" && entry.name === BASH_NAME ? "built-in" : entry.kind,
    status: state,
    trustScore: entry.trustScore ?? facts?.trustScore ?? null,
    protected: entry.protected,
    ui: entry.ui ?? facts?.ui ?? null,
    placements: facts?.placements ?? [],
    sandbox: entry.kind === "url" ? null : (facts?.sandbox ?? "off"),
    ...(reason === null ? {} : { reason }),
    ...(next === null ? {} : { next }),
    ...(refusal === null
      ? {}
      : { refusal: { code: refusal.kind, message: refusal.message, data: { ...refusal.details } } }),
  };
};

export const describeBundle = async (room: WorkspaceRoom, name: string, tokens: TokenStore): Promise<BundleDetail> => {
  const kept = room.bundles.find(name);
  const { entry, bundle } = kept;
  const facts = bundle.facts();
  const given = entry.kind === "url" ? {} : entry.userConfig;
  const values = {
    ...readValues({ tokens, workspace: room.id, provider: name, source: room.sourceOf(entry) }),
    ...given,
  };
  return {
    ...showBundle(kept),
    origin: entry.kind === "url" ? new URL(entry.url).origin : (facts?.origin ?? null),
    digest: facts?.digest ?? null,
    certificationLevel: facts?.certificationLevel ?? null,
    extensions: offeredExtensions(entry, room.config),
    dataPath: entry.kind === "url" ? null : room.dataPath(name),
    tools: bundle.catalogue().tools.map(({ name: tool, held }) => (held ? { name: tool, held } : { name: tool })),
    userConfig: Object.entries((await userFields(room, kept)) ?? {}).map(([key, { title, required, sensitive }]) => ({
      key,
      title,
      required: required ?? false,
      sensitive: sensitive ?? false,
      isSet: values[key] !== undefined,
    })),
    held: bundle.held(),
  };
};
