/**
 * `POST /v1/apps/install`. A caller that takes an event stream and no JSON hears of the progress and then exactly one `done`
 * or `error`; what is refused before anything was done is answered with its status either way.
 */
import type { ServerResponse } from "node:http";
import type { InstallProgress } from "../kernel/bundle-admin.ts";
import { EVENT_STREAM_HEADERS } from "./event-frame.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { namedEvent } from "./named-event.ts";
import { readAccept } from "./read-accept.ts";
import { readEntryOrder } from "./read-bundle-orders.ts";
import { readRestBody } from "./read-rest-body.ts";
import { restFailure } from "./rest-failure.ts";
import type { RestParts } from "./rest-parts.ts";
import { ok, type RestRoute } from "./rest-route.ts";
import { createSteering } from "./steering.ts";

/** Bytes of one step are told of no more often. */
const PAUSE_MS = 100;

export const createInstallRoute = ({ deps, heartbeat }: RestParts): RestRoute["run"] => {
  const steering = createSteering(deps.bundles);
  return async ({ req, res, caller: { principal } }) => {
    const asking = steering.byPerson(principal, "install");
    const entry = readEntryOrder(await readRestBody(req));
    const accepts = readAccept(req.headers.accept);
    if (!accepts?.stream || accepts.json) return ok(await deps.bundles.install(entry, asking, () => {}), 201);
    const stream = new ProgressStream(res, heartbeat);
    try {
      const installed = await deps.bundles.install(entry, asking, (progress) => stream.progress(progress));
      stream.end("done", JSON.stringify(installed));
    } catch (error) {
      if (!stream.open) throw error;
      stream.end("error", restFailure(deps, error).text);
    }
    return null;
  };
};

class ProgressStream {
  open = false;
  readonly #res: ServerResponse;
  readonly #heartbeat: Heartbeat;
  #last = { message: "", at: 0 };

  constructor(res: ServerResponse, heartbeat: Heartbeat) {
    this.#res = res;
    this.#heartbeat = heartbeat;
  }

  progress(progress: InstallProgress): void {
    const { message } = progress;
    const now = Date.now();
    const isNews = message !== this.#last.message || now - this.#last.at >= PAUSE_MS;
    if (!isNews || this.#res.writableNeedDrain) return;
    this.#last = { message, at: now };
    this.#write("progress", JSON.stringify(progress));
  }

  end(type: "done" | "error", json: string): void {
    this.#write(type, json);
    this.#res.end();
  }

  #write(type: string, json: string): void {
    if (!this.open) this.#begin();
    if (!this.#res.destroyed && !this.#res.writableEnded) this.#res.write(namedEvent(type, json));
  }

  #begin(): void {
    this.open = true;
    // Its caller may have left before the first word.
    if (this.#res.destroyed) return;
    this.#res.writeHead(200, EVENT_STREAM_HEADERS);
    this.#res.flushHeaders();
    this.#heartbeat.add(this.#res);
    this.#res.on("close", () => this.#heartbeat.remove(this.#res));
  }
}
