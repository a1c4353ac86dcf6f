/**
 * Tools of the legacy era that run only as tasks. The host asks for the task, follows it and fetches its result, so that
 * for the caller it is an ordinary call that takes long.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Asker } from "../../kernel/ask.ts";
import type { ProviderAnswer, ProviderRequest, TaskMethod } from "../../kernel/provider.ts";
import { rawMembers } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { memberOf } from "../../kernel/scan-json.ts";
import type { Opened } from "../../kernel/stages.ts";
import { sendAboutTask, withdrawTask } from "./task-send.ts";
import { isTerminal, readTaskId, readTaskState } from "./task-state.ts";

type Whole = Exclude<ProviderAnswer, { kind: "partial" }>;

/** As long as any call may take. */
const MAX_MS = 1_800_000;
const RECONNECT_WAIT_MS = 10_000;
const MAX_FAILURES = 3;
const INVALID_PARAMS = -32602;

const runsAsTask = ({ operation, target }: Opened): boolean => {
  const execution = target.tool?.value["execution"] as { readonly taskSupport?: unknown } | null | undefined;
  return operation === "call" && execution?.taskSupport === "required";
};

/** The request as such a tool wants it; all others as they are. */
export const askForTask = (call: Opened, request: ProviderRequest): ProviderRequest => {
  if (!runsAsTask(call)) return request;
  const own = memberOf(`{${request.params}}`, "task") !== null;
  const params = own ? request.params : rawMembers(`${request.params},"task":{"ttl":${MAX_MS}}`);
  return { ...request, params, asTask: true };
};

export interface LegacyTask {
  readonly id: string;
  readonly pollMs: number;
}

/** The task that an answer tells of; null: it is the answer itself. */
export const legacyTaskOf = (request: ProviderRequest, answer: Whole): LegacyTask | null => {
  if (answer.kind === "error" || answer.value["content"] !== undefined) return null;
  const task = answer.value["task"] as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof task !== "object" || task === null || request.asTask !== true) return null;
  const id = readTaskId(task);
  return id === null ? null : { id, pollMs: readTaskState(task)?.pollMs ?? 0 };
};

/** The result of such a task. */
export const finishTask = async (call: Opened, { id, pollMs }: LegacyTask, asker: Asker): Promise<Whole> => {
  const following = new Following(call, id, asker);
  try {
    await following.untilDone(pollMs);
    return await following.result();
  } catch (no) {
    if (!(no instanceof Refusal)) throw no;
    throw await following.giveUp(no);
  }
};

class Following {
  readonly #call: Opened;
  readonly #id: string;
  readonly #asker: Asker;

  constructor(call: Opened, id: string, asker: Asker) {
    this.#call = call;
    this.#id = id;
    this.#asker = asker;
  }

  /** Done, or waiting for the caller: then asking for the result is what makes the server ask. */
  async untilDone(firstMs: number): Promise<void> {
    const until = Date.now() + MAX_MS;
    let waitMs = firstMs;
    for (let failures = 0; failures < MAX_FAILURES;) {
      await this.#pause(waitMs);
      if (Date.now() > until) throw this.#unknown("it took too long", "timeout");
      const state = await this.#state();
      if (state === null) {
        failures++;
        await this.#call.target.provider.whenReady(RECONNECT_WAIT_MS, this.#call.signal);
        continue;
      }
      if (isTerminal(state) || state.status === "input_required") return;
      failures = 0;
      waitMs = state.pollMs;
    }
    throw this.#unknown("its server could not be asked about it", "connection_lost");
  }

  async result(): Promise<Whole> {
    const answer = await this.#send("tasks/result");
    if (answer.kind === "partial") throw this.#unknown("its server answered in another era", "malformed");
    return answer;
  }

  /** What the caller hears in place of a result; when it left, the server is told. */
  async giveUp(no: Refusal): Promise<Refusal> {
    if (no.kind === "upstream_failed") return no;
    if (await this.#withdrawn()) return cancelled(this.#call);
    return no.kind === "indeterminate" ? no : this.#unknown(no.message, "connection_lost");
  }

  /** True: the server says that it ended it. */
  async #withdrawn(): Promise<boolean> {
    const { principal, target } = this.#call;
    try {
      const declared = this.#asker.declared;
      const answer = await withdrawTask(target.provider, { upstreamId: this.#id, principal, declared });
      return answer.kind === "result" && readTaskState(answer.value)?.status === "cancelled";
    } catch (no) {
      if (no instanceof Refusal) return false;
      throw no;
    }
  }

  async #pause(ms: number): Promise<void> {
    try {
      await sleep(ms, undefined, { signal: this.#call.signal });
    } catch {
      throw this.#unknown("it was cancelled while it ran", "cancelled");
    }
  }

  /** Null: nothing was learned. */
  async #state(): Promise<ReturnType<typeof readTaskState>> {
    try {
      const answer = await this.#send("tasks/get");
      if (answer.kind === "result") return readTaskState(answer.value);
      if (answer.kind === "error" && answer.code === INVALID_PARAMS)
        throw this.#unknown("its server does not know it any more", "task_lost");
      return null;
    } catch (no) {
      if (no instanceof Refusal && !this.#call.signal.aborted && no.details["error"] !== "task_lost") return null;
      throw no;
    }
  }

  #send(method: TaskMethod): Promise<ProviderAnswer> {
    const { principal, target, signal } = this.#call;
    const asker = this.#asker;
    const sending = { method, upstreamId: this.#id, principal, declared: asker.declared, asker, signal };
    return sendAboutTask(target.provider, sending);
  }

  #unknown(because: string, error: string): Refusal {
    return new Refusal("indeterminate", {
      message: `Nobody knows how the task of ${this.#call.target.flatName} ended: ${because}`,
      next: "Check its effect yourself, then decide whether to call again.",
      details: { error },
    });
  }
}

const cancelled = ({ target }: Opened): Refusal =>
  new Refusal("cancelled", {
    message: `The task of ${target.flatName} was cancelled, and its server says so.`,
    next: "Repeat the call if it is still wanted.",
  });
