/**
 * Questions for roots of a task that the host answers by itself, as it does for a call: its caller never sees them. They are
 * answered when the task is polled, once each, and that is recorded before.
 */
import type { Ask } from "../../kernel/ask.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { Provider } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import type { RootsOf } from "../../kernel/roots.ts";
import { rootsOfCall } from "../../kernel/roots-of-call.ts";
import { joinMembers, membersOf } from "../../kernel/scan-json.ts";
import type { OpenInvocation, TaskRecord } from "../../kernel/tasks.ts";
import { writeInputResponses } from "./input-requests.ts";
import { leaveOut } from "./root-answers.ts";
import type { TaskEntry } from "./task-entry.ts";
import { declaredOf, sendAboutTask } from "./task-send.ts";
import { questionsOf, type TaskText } from "./task-view.ts";

const ANSWER_MS = 10_000;
const NONE: readonly Ask[] = [];

type Whose = Pick<TaskRecord, "hostRoots">;

export const rootsAsked = (task: TaskText, { hostRoots }: Whose): readonly Ask[] =>
  hostRoots === true ? (questionsOf(task)?.filter(({ method }) => method === "roots/list") ?? NONE) : NONE;

/** The task as its caller may see it: one that asks nothing else is at work. */
export const setTaskRootsAside = (task: TaskText, whose: Whose): TaskText => {
  const own = rootsAsked(task, whose);
  if (own.length === 0) return task;
  const left = leaveOut(task.json, own);
  const asksMore = own.length < Object.keys(task.value["inputRequests"] as object).length;
  const json = asksMore ? left : rawJson(atWork(left));
  return { json, value: JSON.parse(json) as TaskText["value"] };
};

const atWork = (json: string): string => {
  const members = membersOf(json).filter(({ key }) => key !== "inputRequests" && key !== "status");
  return `{"status":"working",${joinMembers(json, members)}}`;
};

export interface RootAnswering {
  readonly rootsOf: RootsOf;
  /** As this principal sees it; null: it is not there. */
  readonly findProvider: (name: string, principal: Principal) => Provider | null;
  readonly note: (invocation: OpenInvocation, note: RootNote) => Promise<void>;
}

interface RootNote {
  readonly type: "dev.bailiwick.round";
  readonly facts: Readonly<Record<string, unknown>>;
  readonly said: Readonly<Record<string, string>>;
}

export type AnswerRoots = (entry: TaskEntry, asks: readonly Ask[]) => Promise<boolean>;

/** False: its server is not there. Throws as `Provider.send` does, or the Refusal of the log. */
export const createAnswerRoots =
  ({ rootsOf, findProvider, note }: RootAnswering): AnswerRoots =>
  async ({ record }, asks) => {
    const { principal, upstreamId, invocation } = record;
    const provider = findProvider(record.provider, principal);
    if (provider?.status().state !== "running") return false;
    const { listing } = rootsOfCall(rootsOf, record);
    const responses = writeInputResponses(
      asks,
      asks.map(() => listing),
    );
    const questions = asks.map(({ params }) => params).join(",");
    await note(invocation, {
      type: "dev.bailiwick.round",
      facts: { method: "roots/list", task: record.id },
      said: { question_commitment: questions, answer_commitment: responses },
    });
    const signal = AbortSignal.timeout(ANSWER_MS);
    const declared = declaredOf(record);
    await sendAboutTask(provider, { method: "tasks/update", upstreamId, principal, declared, signal, responses });
    return true;
  };
