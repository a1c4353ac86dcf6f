/**
 * Sends a request on a connection of its own, reads the whole answer, and says after how many milliseconds a certain text was
 * in it.
 */
import { openSocket } from "./http-connection.ts";

export const timeFirstPart = (url: URL, request: string, mark: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const from = performance.now();
    let took: number | null = null;
    let seen = "";
    const events = {
      head: (status: number) => (status === 200 ? undefined : reject(new Error(`${url.href} answered ${status}`))),
      body: (part: Buffer) => {
        if (took !== null) return;
        seen += part.toString();
        if (seen.includes(mark)) took = performance.now() - from;
      },
      end: () => {
        socket.destroy();
        if (took === null) reject(new Error(`${mark} is not in the answer: ${seen.slice(-300)}`));
        else resolve(took);
      },
    };
    const socket = openSocket(url, events, (reason) => reject(new Error(reason)));
    socket.write(request);
  });
