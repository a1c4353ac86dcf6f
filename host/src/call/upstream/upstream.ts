/**
 * Stage 10, the only place that invokes a provider. A call is sent once; only a tool that declares itself idempotent is
 * sent a second time, and only when nobody knows how the first attempt ended.
 */
import type { Ending } from "../../kernel/call.ts";
import { dropHostMeta } from "../../kernel/drop-host-members.ts";
import type { ProviderMethod, ProviderRequest } from "../../kernel/provider.ts";
import { rawMembers, type RawMembers } from "../../kernel/raw-json.ts";
import { memberOf } from "../../kernel/scan-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { advance, type Opened, type Sent } from "../../kernel/stages.ts";

const METHODS: Record<Opened["operation"], ProviderMethod> = {
  call: "tools/call",
  read: "resources/read",
  prompt: "prompts/get",
  complete: "completion/complete",
};

const STAGE = 10;
const RECONNECT_WAIT_MS = 2_000;

export interface UpstreamOptions {
  /** Writes down that an attempt ended without an answer, before the next one is made. */
  readonly recordAttempt: (call: Opened, reason: string) => Promise<void>;
}

export const createUpstream =
  (options: UpstreamOptions) =>
  async (call: Opened): Promise<Sent> => {
    const started = performance.now();
    const ending = await settle(call, options);
    return advance(call, { ending, durationMs: Math.round(performance.now() - started) });
  };

const settle = async (call: Opened, options: UpstreamOptions): Promise<Ending> => {
  try {
    refuseChangedDefinition(call);
    return await send(call);
  } catch (no) {
    if (!(no instanceof Refusal)) throw no;
    return mayRepeat(call, no) ? repeat(call, no, options) : { kind: "refusal", refusal: no, stage: STAGE };
  }
};

const send = async (call: Opened): Promise<Ending> => {
  const answer = await call.target.provider.send(requestOf(call));
  if (answer.kind === "error") return answer;
  return { kind: "result", json: dropHostMeta(answer.json, answer.value), isError: answer.isError };
};

/** The definition that was checked must still be the one that runs. */
const refuseChangedDefinition = ({ target }: Opened): void => {
  if (!target.tool) return;
  const { tools } = target.provider.catalogue();
  const now = tools.includes(target.tool) ? target.tool : tools.find((tool) => tool.name === target.name);
  if (now?.definition === target.tool.definition) return;
  throw new Refusal("stale_surface", {
    message: `${target.flatName} changed while this call was on its way; nothing was sent.`,
    next: "List the tools again and repeat the call.",
  });
};

/** Only a lost connection: a server that is slow would get the call a second time while the first still runs. */
const mayRepeat = (call: Opened, no: Refusal): boolean => {
  const annotations = call.target.tool?.value["annotations"] as { idempotentHint?: unknown } | undefined;
  const lost = no.kind === "indeterminate" && no.details["error"] === "connection_lost";
  return lost && annotations?.idempotentHint === true && !call.signal.aborted;
};

const repeat = async (call: Opened, first: Refusal, options: UpstreamOptions): Promise<Ending> => {
  const { provider } = call.target;
  if (!(await provider.whenReady(RECONNECT_WAIT_MS, call.signal)))
    return { kind: "refusal", refusal: first, stage: STAGE };
  await options.recordAttempt(call, first.message);
  try {
    refuseChangedDefinition(call);
    return await send(call);
  } catch (no) {
    if (!(no instanceof Refusal)) throw no;
    return { kind: "refusal", refusal: no.kind === "indeterminate" ? no : first, stage: STAGE };
  }
};

const requestOf = (call: Opened): ProviderRequest => ({
  method: METHODS[call.operation],
  name: call.target.name,
  params: paramsOf(call),
  meta: call.meta,
  signal: call.signal,
  listener: call.listener,
});

const paramsOf = (call: Opened): RawMembers => {
  const name = JSON.stringify(call.target.name);
  const extra = call.extraParams === "" ? "" : `,${call.extraParams}`;
  if (call.operation === "read") return rawMembers(`"uri":${name}${extra}`);
  if (call.operation === "complete") return rawMembers(`"ref":${refOf(call)}${extra}`);
  const args = call.argsJson === null ? "" : `,"arguments":${call.argsJson}`;
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
