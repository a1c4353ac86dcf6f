/** For tests of tasks: a server that makes them, and somebody who asks after one. */
import type { Answer, Ending } from "../kernel/call.ts";
import type { ProviderAnswer } from "../kernel/provider.ts";
import { NO_MEMBERS, rawJson } from "../kernel/raw-json.ts";
import type { TaskOrder } from "../kernel/tasks.ts";
import { caller, result, type Answering, type TestAsker, type TestPath } from "./path-for-tests.ts";
import { LOCAL } from "./upstream/task-records-for-tests.ts";

const DECLARED = '{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}';

export const taskCaller = (declared = DECLARED): TestAsker => caller(declared, () => "{}", true);

export const begun = (members = ""): ProviderAnswer => {
  const json = `{"resultType":"task", "taskId":"up-1","status":"working","ttlMs":1.0e5,"pollIntervalMs":100${members}}`;
  return {
    kind: "partial",
    resultType: "task",
    json: rawJson(json),
    value: JSON.parse(json) as Record<string, unknown>,
  };
};

/** What `tasks/get` answers. */
export const state = (status: string, members = ""): ProviderAnswer =>
  result(`{"resultType":"complete","taskId":"up-1","status":"${status}","pollIntervalMs":100${members}}`);

export const COMPLETED = state("completed", ',"result":{"resultType":"complete","content":[],"n":1.0}');

/** Makes a task of every call; what is asked after it, `answer` says. */
export const tasking =
  (answer: Answering): Answering =>
  (request, nth) =>
    request.method === "tools/call" ? begun() : answer(request, nth);

export const order = (id: string, over: Partial<TaskOrder> = {}): TaskOrder => ({
  id,
  provider: null,
  principal: LOCAL,
  presented: { kind: "none" },
  declared: taskCaller().declared,
  meta: NO_MEMBERS,
  signal: new AbortController().signal,
  ...over,
});

/** The id under which a new task was given out. */
export const beginOne = async (path: TestPath): Promise<string> => {
  const { ending } = await path.call({ asker: taskCaller() });
  return (JSON.parse(jsonOf(ending)) as { taskId: string }).taskId;
};

export const jsonOf = (ending: Ending): string => {
  if (ending.kind === "result" || ending.kind === "error") return ending.json;
  throw new Error(`ended as ${ending.kind}`);
};

export const refusalOf = ({ ending }: Answer): string => {
  if (ending.kind !== "refusal") throw new Error(`ended as ${ending.kind}: ${JSON.stringify(ending)}`);
  return ending.refusal.kind;
};

export const types = (path: TestPath): string[] => path.events.map(({ type }) => type);
