/** The answer that comes as a stream: events, and one `done` or `error` that is the answer itself. */
import { createParser } from "eventsource-parser";
import type { IncomingMessage } from "node:http";

export interface StreamedReply {
  readonly status: number;
  readonly text: string;
}

/** No event of ours is as long. */
const MAX_BUFFER = 16 * 1024 * 1024;

/** Rejects when the stream ends without an answer. */
export const readEvents = async (
  response: IncomingMessage,
  onEvent: (type: string, data: string) => void,
): Promise<StreamedReply> => {
  let answer: StreamedReply | null = null;
  const parser = createParser({
    maxBufferSize: MAX_BUFFER,
    onEvent: ({ event = "message", data }) => {
      if (event === "done") answer ??= { status: 200, text: data };
      else if (event === "error") answer ??= { status: 500, text: data };
      else onEvent(event, data);
    },
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") response.destroy(error);
    },
  });
  response.setEncoding("utf8");
  for await (const text of response as AsyncIterable<string>) parser.feed(text);
  if (answer === null) throw new Error("the stream ended before the answer");
  return answer;
};
