/**
 * The answer to a call in `stream` mode. It becomes a stream of events with the first piece of the result; what is decided
 * before that is plain JSON.
 */
import type { ServerResponse } from "node:http";
import type { Ending, StreamedChunks } from "../../kernel/call.ts";
import type { RawJson } from "../../kernel/raw-json.ts";
import { EVENT_STREAM_HEADERS } from "../event-frame.ts";
import type { Heartbeat } from "../heartbeat.ts";
import { oneLine } from "../one-line.ts";

/** A reader that is further behind is let go: it comes back for the rest. */
const MAX_BEHIND = 8_388_608;

export class ChunkStream {
  readonly #res: ServerResponse;
  readonly #heartbeat: Heartbeat;
  #next = 0;

  constructor(res: ServerResponse, heartbeat: Heartbeat) {
    this.#res = res;
    this.#heartbeat = heartbeat;
  }

  chunk(delta: RawJson): void {
    if (this.#res.writableLength > MAX_BEHIND) this.#res.destroy();
    this.#write("chunk", `{"delta":${delta}}`);
  }

  /** False: nothing was streamed, and the answer is plain. */
  end(ending: Ending, from: number, result: () => string): boolean {
    if (!this.#res.headersSent) {
      const chunks = ending.kind === "result" ? ending.chunks : undefined;
      if (chunks === undefined || chunks.count === 0) return false;
      this.#again(chunks, from);
    }
    this.#write("result", result());
    this.#res.end();
    return true;
  }

  /** Those of a call that ran before or for somebody else, from one on. */
  #again({ count, kept }: StreamedChunks, from: number): void {
    this.#next = Math.min(from, count);
    for (const delta of kept?.slice(from) ?? []) this.chunk(delta);
    this.#next = count;
  }

  #write(event: string, data: string): void {
    const res = this.#res;
    const id = this.#next++;
    if (res.destroyed) return;
    if (!res.headersSent) this.#open(res);
    res.write(`id: ${id}\nevent: ${event}\ndata: ${oneLine(data)}\n\n`);
  }

  #open(res: ServerResponse): void {
    res.writeHead(200, EVENT_STREAM_HEADERS);
    this.#heartbeat.add(res);
    res.once("close", () => this.#heartbeat.remove(res));
  }
}
