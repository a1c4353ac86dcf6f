/** What the CHP door answers without a credential: health, identity, and the discovery of what is public. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { sendJson } from "../send-json.ts";
import { ok } from "./chp-answers.ts";
import type { ChpParts } from "./chp-parts.ts";
import { healthOf, identityOf } from "./describe-chp-host.ts";
import { discoveryDocument, isDiscoveryPath, passerBy } from "./discovery.ts";
import { presentsSomething } from "./present-chp.ts";
import { sendText } from "./send-text.ts";

/** False: it takes a credential, or there is no such thing. */
export type OpenRoutes = (req: IncomingMessage, res: ServerResponse, path: string) => boolean;

export const createOpenRoutes = ({ deps, base }: ChpParts): OpenRoutes => {
  const { publicDiscovery } = deps.chp;
  const reader = passerBy(publicDiscovery);
  return (req, res, path) => {
    if (path === "/health" || path === "/") sendJson(res, ok(healthOf(deps)));
    else if (path === "/.well-known/chp-identity") sendJson(res, ok(identityOf(deps)));
    else if (isDiscoveryPath(path) && publicDiscovery.length > 0 && !deps.noAuth && !presentsSomething(req)) {
      sendText(res, discoveryDocument(deps, { path, reader, base }));
    } else return false;
    return true;
  };
};
