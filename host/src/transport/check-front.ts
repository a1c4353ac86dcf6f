/**
 * Whether a request may knock at all: its Host must be a name of ours, its Origin, if any, a page of ours or one that the
 * operator allowed. This is what keeps a web page from reaching a host on the visitor's own machine.
 */
import type { IncomingHttpHeaders } from "node:http";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { DoorLimits } from "./listener-deps.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const SHOWN = 100;

export interface Front {
  readonly refusal: DoorRefusal | null;
  /** The foreign origin that gets CORS headers. */
  readonly cors: string | null;
}

export type CheckFront = (headers: IncomingHttpHeaders) => Front;

const WELCOME: Front = { refusal: null, cors: null };

const withoutPort = (host: string): string => {
  const colon = host.lastIndexOf(":");
  return colon > host.lastIndexOf("]") ? host.slice(0, colon) : host;
};

const badHost = (host: string): DoorRefusal =>
  doorRefusal("bad_host", {
    message: `This host does not answer to the name ${JSON.stringify(host.slice(0, SHOWN))}.`,
    next: 'Use the URL that "bailiwick serve" printed, or add the name to http.allowedHosts in bailiwick.json.',
  });

const badOrigin = (origin: string): DoorRefusal =>
  doorRefusal("bad_origin", {
    message: `Pages of ${JSON.stringify(origin.slice(0, SHOWN))} may not call this host.`,
    next: "Add that origin to mcp.allowedOrigins in bailiwick.json if its pages should.",
  });

/** Both headers as browsers write them: lower case, no path. */
export const createFrontCheck = (limits: DoorLimits): CheckFront => {
  const names = new Set(LOOPBACK);
  const exact = new Set<string>();
  for (const host of limits.allowedHosts) {
    const lower = host.toLowerCase();
    (withoutPort(lower) === lower ? names : exact).add(lower);
  }
  const ours = limits.publicOrigin === null ? null : new URL(limits.publicOrigin);
  if (ours) exact.add(ours.host.toLowerCase());
  const allowed = new Set(limits.allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, "")));
  const foreign = new Map([...allowed].map((origin): [string, Front] => [origin, { refusal: null, cors: origin }]));

  return (headers) => {
    const host = (headers.host ?? "").toLowerCase();
    if (!names.has(withoutPort(host)) && !exact.has(host)) return { refusal: badHost(host), cors: null };
    const { origin } = headers;
    if (origin === undefined) return WELCOME;
    if (origin === `http://${host}` || origin === ours?.origin) return WELCOME;
    return foreign.get(origin) ?? { refusal: badOrigin(origin), cors: null };
  };
};
