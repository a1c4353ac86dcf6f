/** The documents about the host itself: manifest, health, identity. The host is named first, its capabilities inside it. */
import type { Principal } from "../../kernel/principal.ts";
import type { ListenerDeps } from "../listener-deps.ts";
import { PROTOCOL_VERSION, SUPPORTED_VERSIONS } from "./chp-answers.ts";

type Json = Readonly<Record<string, unknown>>;

/** HostDescriptor, cut to what the principal sees. */
export const manifestOf = (deps: ListenerDeps, principal: Principal): Json => {
  const { info, archive, chp, descriptors } = deps;
  const { assurance, key_id: keyId, public_key: publicKey, host_identity: attestation } = archive.identity();
  return {
    id: info.id,
    version: info.operatorVersion,
    protocol_version: PROTOCOL_VERSION,
    supported_versions: SUPPORTED_VERSIONS,
    kind: info.kind,
    host_version: info.version,
    capabilities: descriptors(principal),
    evidence: { store: "local-append-only", append_only: true },
    assurance,
    ...present({ key_id: keyId, public_key: publicKey, host_identity: attestation }),
    metadata: { ...(info.name === null ? {} : { name: info.name }), ...chp.metadata() },
  };
};

export const identityOf = ({ archive }: Pick<ListenerDeps, "archive">): Json => present(archive.identity());

export const healthOf = ({ info, health }: Pick<ListenerDeps, "info" | "health">): Json => ({
  status: health().status,
  host_id: info.id,
  protocol: "chp",
  version: PROTOCOL_VERSION,
  host_version: info.version,
});

/** Only the members that say something: the schemas have no null for these. */
const present = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
