/**
 * CHP's digests of a call. The action digest names one exact call and is what an approval is bound to; the invocation digest
 * names one attempt of it, at one provider of one host.
 */
import { hash } from "node:crypto";
import { jcs } from "../../kernel/jcs.ts";
import type { Principal } from "../../kernel/principal.ts";
import { principalUri } from "../../kernel/subject.ts";
import type { Valid } from "../../kernel/stages.ts";

const PROTOCOL = "chp/0.1";

const digestText = (canonical: string): string => `sha256:${hash("sha256", canonical)}`;

/** Of any document, by its canonical JSON. */
export const documentDigest = (document: Readonly<Record<string, unknown>>): string => digestText(jcs(document));

/** What a person approves: the arguments; of what has none the operation and the URI. */
export const approvedInput = ({ operation, target, args }: Valid): Readonly<Record<string, unknown>> =>
  operation === "call" || operation === "prompt" ? args : { operation, uri: target.name };

/** The same as canonical JSON. */
export const approvedText = (call: Valid): string =>
  call.operation === "call" || call.operation === "prompt" ? call.canonicalArgs : jcs(approvedInput(call));

/** A yes to what one does is none to what it has others do. */
const principalText = ({ id, onBehalfOf, chain }: Principal): string =>
  `{${chain === undefined ? "" : `"chain":${JSON.stringify(chain.map((actor) => principalUri(actor.id)))},`}` +
  `"id":${JSON.stringify(principalUri(id))}` +
  `${onBehalfOf === null ? "" : `,"on_behalf_of":${JSON.stringify(principalUri(onBehalfOf))}`}}`;

/** `roots`: digest of the list of roots that it works in; null: it does not work on files, or has none. Written by hand: the arguments are canonical already. */
export const actionDigest = (call: Valid, roots: string | null): string => {
  const { capability, tool } = call.target;
  return digestText(
    `{"capability":{"id":${JSON.stringify(capability.id)},"version":${JSON.stringify(capability.version)}},` +
      `"input":${approvedText(call)},"principal":${principalText(call.principal)},"protocol":"${PROTOCOL}",` +
      `"semantic_context":{"definition":${JSON.stringify(tool?.definition ?? null)},` +
      `"roots":${JSON.stringify(roots)},"workspace":${JSON.stringify(call.principal.workspace)}}}`,
  );
};

export interface Attempt {
  readonly hostId: string;
  readonly invocationId: string;
  readonly actionDigest: string;
}

/** The flat name stands for the binding: it says which provider does it and under which name. */
export const invocationDigest = (call: Valid, attempt: Attempt): string => {
  const who = { id: principalUri(call.principal.id) };
  return documentDigest({
    protocol: PROTOCOL,
    invocation_id: attempt.invocationId,
    action_digest: attempt.actionDigest,
    actor: who,
    principal: who,
    binding: { id: call.target.flatName },
    provider: { id: call.target.provider.name },
    host: { id: attempt.hostId },
    governance_context: {},
  });
};
