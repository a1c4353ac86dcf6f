/**
 * Notices that wait for a slow reader. They are bounded: progress is merged to its latest, logs beyond the bound are
 * dropped and counted.
 */
import { notificationText } from "./rpc-text.ts";

const MAX_QUEUED = 1000;
const MAX_QUEUED_CHARS = 1_048_576;

export class NoticeQueue {
  #progress = new Map<string, string>();
  #logs: string[] = [];
  #logChars = 0;
  #dropped = 0;

  progress(token: string, text: string): void {
    this.#progress.set(token, text);
  }

  log(text: string): void {
    if (this.#logs.length < MAX_QUEUED && this.#logChars + text.length <= MAX_QUEUED_CHARS) {
      this.#logs.push(text);
      this.#logChars += text.length;
    } else {
      this.#dropped++;
    }
  }

  /** Everything that waited, in order; nothing waits then. */
  take(): readonly string[] {
    const texts = [
      ...this.#logs,
      ...(this.#dropped > 0 ? [droppedText(this.#dropped)] : []),
      ...this.#progress.values(),
    ];
    this.#progress = new Map();
    this.#logs = [];
    this.#logChars = 0;
    this.#dropped = 0;
    return texts;
  }
}

const droppedText = (count: number): string =>
  notificationText(
    "notifications/message",
    `"level":"warning","logger":"bailiwick","data":"${count} log messages were dropped because they were read too slowly."`,
  );
