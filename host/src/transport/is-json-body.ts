/** Whether a body is declared as plain JSON. A compressed one is not: its size could not be bounded cheaply. */
import type { IncomingHttpHeaders } from "node:http";

export const isJsonBody = (headers: IncomingHttpHeaders): boolean => {
  const type = headers["content-type"];
  if (type === undefined || headers["content-encoding"] !== undefined) return false;
  return type === "application/json" || /^application\/json\s*(;|$)/i.test(type);
};
