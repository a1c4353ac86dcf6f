/** Makes the answer to a request a stream of events that a comment keeps open. */
import type { ServerResponse } from "node:http";
import { EVENT_STREAM_HEADERS, eventFrame } from "./event-frame.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { MessageStream } from "./message-stream.ts";

export const openEventStream = (res: ServerResponse, heartbeat: Heartbeat): MessageStream => {
  res.writeHead(200, EVENT_STREAM_HEADERS);
  res.flushHeaders();
  heartbeat.add(res);
  res.on("close", () => heartbeat.remove(res));
  return {
    get ended() {
      return res.writableEnded;
    },
    get slow() {
      return res.writableNeedDrain;
    },
    write: (text, id) => void res.write(eventFrame(text, id)),
    end: () => void res.end(),
    onDrain: (listener) => void res.on("drain", listener),
    onClose: (listener) => void res.once("close", listener),
  };
};
