/** The id of a body that is not known to be a message, as JSON text; null when it has none that can be answered to. */
import { isObject } from "./protocol.ts";

export const requestIdOf = (body: unknown): string | null => {
  const id = isObject(body) ? body["id"] : undefined;
  return typeof id === "string" || Number.isSafeInteger(id) ? JSON.stringify(id) : null;
};
