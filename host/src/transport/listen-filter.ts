/** What a `subscriptions/listen` asks to hear. */
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import { isObject, type JsonObject } from "./protocol.ts";
import { isLongUri, MAX_URI_BYTES } from "./watched-uri.ts";

/** The lists, by the name that the filter gives their flag. */
export const LIST_FLAGS = {
  toolsListChanged: "tools",
  promptsListChanged: "prompts",
  resourcesListChanged: "resources",
} as const;

export type ListFlag = keyof typeof LIST_FLAGS;

export interface ListenFilter {
  readonly lists: readonly ListFlag[];
  /** Each once. */
  readonly uris: readonly string[];
  /** Ids of tasks, each once. */
  readonly tasks: readonly string[];
}

const FLAGS = Object.keys(LIST_FLAGS) as ListFlag[];

const isFlag = (value: unknown): boolean => value === undefined || typeof value === "boolean";

const isTextList = (value: unknown): value is readonly string[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every((text) => typeof text === "string"));

export const readListenFilter = (params: JsonObject): ListenFilter | DoorRefusal => {
  const { notifications } = params;
  if (!isObject(notifications)) return invalid("params.notifications is not an object.");
  const wrong = FLAGS.find((flag) => !isFlag(notifications[flag]));
  if (wrong !== undefined) return invalid(`params.notifications.${wrong} is not true or false.`);
  const uris = notifications["resourceSubscriptions"];
  if (!isTextList(uris)) return invalid("params.notifications.resourceSubscriptions is not a list of URIs.");
  if (uris?.some(isLongUri)) {
    return invalid(`A URI of params.notifications.resourceSubscriptions is longer than ${MAX_URI_BYTES} bytes.`);
  }
  const tasks = notifications["taskIds"];
  if (!isTextList(tasks)) return invalid("params.notifications.taskIds is not a list of ids.");
  const lists = FLAGS.filter((flag) => notifications[flag] === true);
  return { lists, uris: [...new Set(uris)], tasks: [...new Set(tasks)] };
};

const invalid = (message: string): DoorRefusal =>
  doorRefusal("bad_request", {
    code: -32602,
    status: 200,
    message,
    next: "Send params.notifications with toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions or taskIds.",
  });
