/** The body where the path says all that is needed; one that comes all the same must be JSON as everywhere. */
import type { IncomingMessage } from "node:http";
import { readRestBody, type RestBody } from "./read-rest-body.ts";

const NO_BODY: RestBody = { text: "{}", value: {} };

export const readOptionalBody = async (req: IncomingMessage): Promise<RestBody> => {
  const { headers } = req;
  const has = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  return has ? readRestBody(req) : NO_BODY;
};
