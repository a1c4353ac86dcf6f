/**
 * Requests about tasks, all of the modern era: read, handed on, answered. What a task is and who may ask after it is
 * decided elsewhere.
 */
import type { Answer } from "../kernel/call.ts";
import { rawJson, type RawJson } from "../kernel/raw-json.ts";
import { memberOf, sliceJson } from "../kernel/scan-json.ts";
import { declaresTasks, TASKS_EXTENSION, TASKS_REQUIRED, type TaskOrder, type Tasks } from "../kernel/tasks.ts";
import type { DoorParts } from "./door-parts.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import { fitModern } from "./fit-reply.ts";
import type { AnswerModernCall, ModernRequest } from "./modern-call.ts";
import { isObject, type JsonObject } from "./protocol.ts";
import { readMeta } from "./read-call-params.ts";
import { metaAt, readDeclared } from "./read-declared.ts";
import { refusalText, replyText } from "./rpc-text.ts";
import { refusedAnswer } from "./run-call.ts";

const MISSING_CAPABILITY = -32021;

interface TaskAsked {
  readonly order: TaskOrder;
  readonly responses: RawJson;
}

type Run = (tasks: Tasks, asked: TaskAsked) => Promise<Answer>;

const METHODS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ["tasks/get", (tasks, { order }) => tasks.get(order)],
  ["tasks/update", (tasks, { order, responses }) => tasks.update(order, responses)],
  ["tasks/cancel", (tasks, { order }) => tasks.cancel(order)],
]);

export const isTaskMethod = (method: string): boolean => METHODS.has(method);

export const createAnswerTask =
  ({ deps, inFlight }: DoorParts): AnswerModernCall =>
  async (request) => {
    const { message, exchange, abort } = request;
    const asked = readAsked(request);
    if ("refusal" in asked) return { status: asked.status, text: refusalText(message.idText, asked) };
    const run = METHODS.get(message.method) as Run;
    const place = inFlight.begin(exchange.principal, abort);
    const answer =
      typeof place === "number"
        ? await run(deps.tasks, asked).finally(() => inFlight.end(exchange.principal, place))
        : refusedAnswer(place, exchange.principal);
    const { ending } = answer;
    const lacking = ending.kind === "error" && ending.code === MISSING_CAPABILITY;
    const reply = fitModern(deps.shape.mcp(answer, "task"), "call");
    return { status: lacking ? 400 : 200, text: replyText(message.idText, reply) };
  };

const readAsked = ({ exchange, message, abort }: ModernRequest): TaskAsked | DoorRefusal => {
  const { params, text, paramsAt } = message;
  const declared = readDeclared(message);
  if (!declaresTasks(declared)) return undeclared(message.method);
  const { taskId, inputResponses } = params;
  if (typeof taskId !== "string" || taskId === "")
    return invalid("params.taskId", "a string, as it came with the task");
  const updates = message.method === "tasks/update";
  if (updates && !isObject(inputResponses)) return invalid("params.inputResponses", "an object of answers");
  const responses = updates ? memberOf(text, "inputResponses", paramsAt) : null;
  const { provider, principal, presented } = exchange;
  const { meta } = readMeta(text, metaAt(message), params["_meta"] as JsonObject);
  return {
    order: { id: taskId, provider, principal, presented, declared, meta, signal: abort.signal },
    responses: responses === null ? rawJson("{}") : sliceJson(text, responses),
  };
};

const undeclared = (method: string): DoorRefusal =>
  doorRefusal("bad_request", {
    code: MISSING_CAPABILITY,
    status: 400,
    message: `${method} needs a client that declares the extension ${TASKS_EXTENSION}.`,
    next: "Declare it in the request's clientCapabilities.extensions.",
    data: { requiredCapabilities: TASKS_REQUIRED },
  });

const invalid = (member: string, form: string): DoorRefusal =>
  doorRefusal("bad_request", {
    code: -32602,
    status: 200,
    message: `${member} is missing or has the wrong type.`,
    next: `Send ${member} as ${form}.`,
  });
