/** What a call becomes on its way to a provider: the caller's own bytes under the provider's own names. */
import { principalName } from "../../kernel/principal-name.ts";
import type { CallFacts, CallInput, ProviderMethod, ProviderRequest } from "../../kernel/provider.ts";
import type { Asker } from "../../kernel/ask.ts";
import { rawMembers, type RawMembers } from "../../kernel/raw-json.ts";
import type { RootsOf } from "../../kernel/roots.ts";
import { rootsOfCall } from "../../kernel/roots-of-call.ts";
import { memberOf } from "../../kernel/scan-json.ts";
import type { Opened } from "../../kernel/stages.ts";
import { rootsMeta } from "./roots-meta.ts";

const METHODS: Record<Opened["operation"], ProviderMethod> = {
  call: "tools/call",
  read: "resources/read",
  prompt: "prompts/get",
  complete: "completion/complete",
  skill: "skills/get",
  directory: "resources/directory/read",
};

const BY_URI: ReadonlySet<Opened["operation"]> = new Set(["read", "skill", "directory"]);

export interface Round {
  readonly asker: Asker;
  readonly input: CallInput | null;
  readonly late: ProviderRequest["late"];
  readonly rootsOf: RootsOf;
}

export const requestOf = (call: Opened, { asker, input, late, rootsOf }: Round): ProviderRequest => ({
  method: METHODS[call.operation],
  name: call.target.name,
  params: paramsOf(call),
  meta: call.meta === "" && call.roots === null ? call.meta : rootsMeta(call.meta, call.roots?.json ?? null),
  signal: call.signal,
  listener: call.listener,
  asker,
  owner: principalName(call.principal),
  input,
  limitMs: call.target.capability.timeoutMs,
  facts: () => factsOf(call, rootsOf),
  late,
});

const factsOf = (call: Opened, rootsOf: RootsOf): CallFacts => ({
  invocationId: call.invocation.id,
  correlationId: call.invocation.correlation.id,
  workspace: call.principal.workspace,
  endpoint: call.provider,
  principal: principalName(call.principal),
  caller: call.principal,
  required: call.required,
  roots: call.roots ?? rootsOfCall(rootsOf, call),
  origin: {
    presented: call.presented,
    door: call.door,
    run: call.run ?? null,
    approvalWaitMs: call.approvalWaitMs,
  },
});

const paramsOf = (call: Opened): RawMembers => {
  const name = JSON.stringify(call.target.name);
  const extra = call.extraParams === "" ? "" : `,${call.extraParams}`;
  if (call.operation === "complete") return rawMembers(`"ref":${refOf(call)}${extra}`);
  if (BY_URI.has(call.operation)) return rawMembers(`"uri":${name}${extra}`);
  const given = call.resolvedArgs ?? call.argsJson;
  const args = given === null ? "" : `,"arguments":${given}`;
  return rawMembers(`"name":${name}${args}${extra}`);
};

/** The caller's ref as it came, with the provider's own name in it. */
const refOf = ({ argsJson, target }: Opened): string => {
  const [type, key] = target.flatName.endsWith(":resources") ? ["ref/resource", "uri"] : ["ref/prompt", "name"];
  const name = JSON.stringify(target.name);
  const member = argsJson === null ? null : memberOf(argsJson, key);
  if (argsJson === null || member === null) return `{"type":"${type}","${key}":${name}}`;
  return `${argsJson.slice(0, member.start)}${name}${argsJson.slice(member.end)}`;
};
