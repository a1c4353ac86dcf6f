/**
 * The parts of an evidence event that describe a call: who, what, and under which correlation, as canonical text.
 */
import type { RawCall } from "../../kernel/call.ts";
import type { Correlation } from "../../kernel/evidence.ts";
import { makeId } from "../../kernel/make-id.ts";
import type { Principal } from "../../kernel/principal.ts";
import { stable } from "../../kernel/stable.ts";
import type { Stopped, Target } from "../../kernel/stages.ts";

const MAX_NAME = 256;
const SEMVER = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/** Outward form: `agent:x` is written `agent://x`. */
const principalUri = (id: string): string => id.replace(/^([a-z]+):(?!\/\/)/, "$1://");

const subjects = new WeakMap<Principal, Map<string, string>>();

/** Canonical text of `subject`; remembered, since one principal makes many calls. */
export const subjectOf = (principal: Principal, door: string): string => {
  const doors = subjects.get(principal) ?? new Map<string, string>();
  const known = doors.get(door);
  if (known !== undefined) return known;
  const text = stable({
    id: principalUri(principal.id),
    type: principal.kind,
    verified: principal.assurance === "credential",
    door,
    workspace: principal.workspace,
    ...(principal.onBehalfOf === null ? {} : { on_behalf_of: principalUri(principal.onBehalfOf) }),
  });
  subjects.set(principal, doors.set(door, text));
  return text;
};

/** Characters outside `[A-Za-z0-9_.:-]` as `:HH` of their UTF-8 bytes. */
const capabilityId = (name: string): string =>
  /^[A-Za-z0-9_.:-]{1,256}$/.test(name)
    ? name
    : Buffer.from(name.slice(0, MAX_NAME) || "?", "utf8")
        .toString("latin1")
        .replace(/[^A-Za-z0-9_.:-]/g, (c) => `:${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);

export interface Capability {
  readonly id: string;
  readonly version: string;
  readonly uri: string;
}

const capabilities = new WeakMap<Target, Capability>();

/** A name that was refused on one provider's endpoint is written with that provider, as it would be on `/mcp`. */
export const capabilityOf = ({ target, provider, name }: Pick<Stopped, "target" | "provider" | "name">): Capability => {
  const known = target && capabilities.get(target);
  if (known) return known;
  const id = capabilityId(target?.flatName ?? (provider === null ? name : `${provider}__${name}`));
  const stated = target?.provider.status().version ?? "";
  const version = SEMVER.test(stated) ? stated : "0.0.0";
  const capability = { id, version, uri: `${id}:${version}` };
  if (target) capabilities.set(target, capability);
  return capability;
};

export const correlationOf = (call: RawCall): Correlation & { fresh: boolean } => ({
  id: makeId("corr_"),
  causationId: call.continues?.invocationId ?? null,
  parentId: null,
  traceId: call.traceparent === null ? null : call.traceparent.slice(3, 35),
  fresh: true,
});
