/** A bug of ours. Its inside goes to the log and never to the wire. */
export class HostError extends Error {
  override readonly name = "HostError";
}
