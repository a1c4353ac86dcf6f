import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { rawJson } from "../../kernel/raw-json.ts";
import { openChpDoor, type ChpTestDoor } from "./chp-door-for-tests.ts";

const MEGABYTE = 1_048_576;

let door: ChpTestDoor | null = null;
let socket: Socket | null = null;
afterEach(async () => {
  socket?.destroy();
  await door?.listener.close();
});

const post = (origin: string, body: string): Socket => {
  const { hostname, port, host } = new URL(origin);
  const opened = connect(Number(port), hostname);
  opened.write(
    `POST /chp/invoke HTTP/1.1\r\nHost: ${host}\r\nX-CHP-Key: owner-key\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return opened;
};

describe("a reader that does not read", () => {
  it("is let go before what waits for it fills the memory", async () => {
    const piece = rawJson(`"${"x".repeat(MEGABYTE)}"`);
    let given = 0;
    door = await openChpDoor({
      handleCall: async (raw) => {
        // Far more than all buffers on the way hold.
        for (; given < 64 && !raw.signal.aborted; given++) {
          raw.listener.chunk?.(piece);
          await new Promise((resolve) => setImmediate(resolve));
        }
        throw new Error("the stream was left");
      },
    });
    socket = post(door.origin, '{"capability_id":"flood","mode":"stream"}');
    socket.pause();
    await expect.poll(() => door?.calls[0]?.signal.aborted).toBe(true);
    expect(given).toBeLessThan(64);
    let text = "";
    socket.on("data", (part: Buffer) => {
      text += part.toString("latin1");
    });
    socket.on("error", () => {});
    socket.resume();
    await once(socket, "close");
    expect(text).not.toContain("event: result");
  });
});
