/** Sends a server what is said about a task of its own. Beside stage 10 itself the one place that invokes a provider. */
import { NOBODY, type Asker, type Declared } from "../../kernel/ask.ts";
import type { Principal } from "../../kernel/principal.ts";
import { principalName } from "../../kernel/principal-name.ts";
import type { CallListener, Provider, ProviderAnswer, ProviderRequest, TaskMethod } from "../../kernel/provider.ts";
import { NO_MEMBERS, rawMembers, type RawJson, type RawMembers } from "../../kernel/raw-json.ts";
import { rootsMeta } from "./roots-meta.ts";

const SILENT: CallListener = Object.freeze({ progress: () => {}, log: () => {}, level: () => null });
const WITHDRAW_MS = 5_000;

export interface TaskSending {
  readonly method: TaskMethod;
  /** The server's own id. */
  readonly upstreamId: string;
  readonly principal: Pick<Principal, "id" | "onBehalfOf">;
  readonly declared: Declared;
  readonly signal: AbortSignal;
  readonly meta?: RawMembers;
  readonly responses?: RawJson;
  /** Who answers while it runs; default: nobody. */
  readonly asker?: Asker;
}

const requestOf = (sending: TaskSending): ProviderRequest => {
  const { method, upstreamId, principal, declared, signal, meta, responses, asker } = sending;
  const id = JSON.stringify(upstreamId);
  return {
    method,
    name: upstreamId,
    params: rawMembers(responses === undefined ? `"taskId":${id}` : `"taskId":${id},"inputResponses":${responses}`),
    meta: meta === undefined ? NO_MEMBERS : rootsMeta(meta, null),
    signal,
    listener: SILENT,
    asker: asker ?? { ...NOBODY, declared },
    owner: principalName(principal),
    input: null,
    late: () => () => {},
  };
};

/** Sends once; throws as `Provider.send` does. */
export const sendAboutTask = (provider: Provider, sending: TaskSending): Promise<ProviderAnswer> =>
  provider.send(requestOf(sending));

export type AbandonedTask = Omit<TaskSending, "method" | "signal">;

/** Asks the server to end a task that nobody will follow. */
export const withdrawTask = (provider: Provider, sending: AbandonedTask): Promise<ProviderAnswer> =>
  sendAboutTask(provider, { ...sending, method: "tasks/cancel", signal: AbortSignal.timeout(WITHDRAW_MS) });

/** Asks what came of that. */
export const askAfterTask = (provider: Provider, sending: AbandonedTask): Promise<ProviderAnswer> =>
  sendAboutTask(provider, { ...sending, method: "tasks/get", signal: AbortSignal.timeout(WITHDRAW_MS) });
