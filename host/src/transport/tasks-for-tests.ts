/** A stand-in for what is behind the requests about tasks, which is another room's: one task, `tk_1`, of `person:owner`. */
import type { Answer } from "../kernel/call.ts";
import { rawJson, rawMembers } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { TaskOrder, Tasks } from "../kernel/tasks.ts";

export interface StandInTasks extends Tasks {
  readonly orders: TaskOrder[];
  readonly responses: string[];
  /** Tells everybody who listens. */
  tell(members: string): void;
  watching(): number;
  /** What those who listen declared. */
  readonly declared: Set<string>;
}

const MINE = "tk_1";

export const standInTasks = (): StandInTasks => {
  const orders: TaskOrder[] = [];
  const responses: string[] = [];
  const declared = new Set<string>();
  const listeners = new Set<(members: ReturnType<typeof rawMembers>) => void>();
  const isMine = ({ id, principal }: Pick<TaskOrder, "id" | "principal">): boolean =>
    id === MINE && principal.id === "person:owner";

  const answer = async (order: TaskOrder, json: string): Promise<Answer> => {
    orders.push(order);
    const refusal = new Refusal("resource_not_found", { message: "No such task.", next: "Use another id." });
    return {
      ending: isMine(order)
        ? { kind: "result", json: rawJson(json), isError: false }
        : { kind: "refusal", refusal, stage: 3 },
      outcome: null,
      principal: order.principal,
      evidenceId: null,
      tool: null,
    };
  };

  return {
    orders,
    responses,
    declared,
    get: (order) => answer(order, `{"taskId":"${MINE}","n":1.0}`),
    update: (order, given) => {
      responses.push(given);
      return answer(order, "{}");
    },
    cancel: (order) => answer(order, '{"resultType":"complete","x":1.0}'),
    watch: (task, changed) => {
      if (!isMine(task)) return null;
      declared.add(task.declared.json);
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    tell: (members) => listeners.forEach((changed) => changed(rawMembers(members))),
    watching: () => listeners.size,
  };
};
