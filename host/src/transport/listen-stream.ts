/**
 * One open `subscriptions/listen`. It acknowledges first, says only what was asked for, and to a slow reader each thing
 * once however often it changed.
 */
import type { RawMembers } from "../kernel/raw-json.ts";
import { joinMembers, memberOf, membersOf } from "../kernel/scan-json.ts";
import { LIST_FLAGS, type ListFlag } from "./listen-filter.ts";
import type { MessageStream } from "./message-stream.ts";
import { META_SUBSCRIPTION } from "./protocol.ts";
import { notificationText, resultText } from "./rpc-text.ts";

export interface ListenStreamOptions {
  readonly messages: MessageStream;
  /** The request's id, as it came; every message carries it. */
  readonly id: string;
  readonly lists: readonly ListFlag[];
  /** Asked before each notice: a revoked credential ends the stream. */
  readonly mayHear: () => boolean;
}

export class ListenStream {
  readonly #options: ListenStreamOptions;
  readonly #meta: string;
  readonly #updated = new Set<string>();
  /** The last state of each. */
  readonly #tasks = new Map<string, RawMembers>();
  #listsChanged = false;
  #open = false;

  constructor(options: ListenStreamOptions) {
    this.#options = options;
    this.#meta = `"_meta":{"${META_SUBSCRIPTION}":${options.id}}`;
  }

  /** The URIs and tasks that somebody can tell about. */
  acknowledge(uris: readonly string[], taskIds: readonly string[]): void {
    const { messages, lists } = this.#options;
    const honoured = {
      ...Object.fromEntries(lists.map((flag) => [flag, true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
      ...(taskIds.length > 0 && { taskIds }),
    };
    this.#write("subscriptions/acknowledged", `"notifications":${JSON.stringify(honoured)},`);
    messages.onDrain(() => this.#flush());
    this.#open = true;
    this.#flush();
  }

  announceChange(): void {
    if (this.#options.lists.length === 0) return;
    this.#listsChanged = true;
    this.#flush();
  }

  announceUpdate(uri: string): void {
    this.#updated.add(uri);
    this.#flush();
  }

  announceTask(id: string, members: RawMembers): void {
    this.#tasks.set(id, members);
    this.#flush();
  }

  /** The graceful end: the empty result, then nothing. */
  end(): void {
    if (!this.#open) return;
    this.#open = false;
    const { messages, id } = this.#options;
    messages.write(resultText(id, `{"resultType":"complete",${this.#meta}}`));
    messages.end();
  }

  #flush(): void {
    const { messages, lists, mayHear } = this.#options;
    if (!this.#open || messages.slow || !this.#hasNews()) return;
    if (!mayHear()) {
      this.#open = false;
      messages.end();
      return;
    }
    if (this.#listsChanged) for (const flag of lists) this.#write(`${LIST_FLAGS[flag]}/list_changed`, "");
    for (const uri of this.#updated) this.#write("resources/updated", `"uri":${JSON.stringify(uri)},`);
    for (const members of this.#tasks.values()) this.#writeTask(members);
    this.#listsChanged = false;
    this.#updated.clear();
    this.#tasks.clear();
  }

  #hasNews(): boolean {
    return this.#listsChanged || this.#updated.size > 0 || this.#tasks.size > 0;
  }

  /** What the server said in `_meta` stays; which subscription it is for, only the host says. */
  #writeTask(members: RawMembers): void {
    const task = `{${members}}`;
    const meta = memberOf(task, "_meta");
    const rest = joinMembers(
      task,
      membersOf(task).filter(({ key }) => key !== "_meta"),
    );
    const said = meta && task[meta.start] === "{" ? membersOf(task, meta.start) : [];
    const kept = joinMembers(
      task,
      said.filter(({ key }) => key !== META_SUBSCRIPTION),
    );
    const own = `"${META_SUBSCRIPTION}":${this.#options.id}`;
    const params = `${rest},"_meta":{${kept === "" ? own : `${own},${kept}`}}`;
    this.#options.messages.write(notificationText("notifications/tasks", params));
  }

  #write(notice: string, members: string): void {
    this.#options.messages.write(notificationText(`notifications/${notice}`, `${members}${this.#meta}`));
  }
}
