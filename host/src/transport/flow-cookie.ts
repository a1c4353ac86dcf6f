/**
 * The cookie that binds a way to an authorization server to the browser that set out on it: without it somebody could have
 * another's browser finish a way that he began. One for each way, so that two tabs do not disturb each other.
 */
import { hash } from "node:crypto";
import { readCookie } from "./read-cookie.ts";

const SECONDS = 600;

const nameOf = (state: string): string => `bw_oauth_${hash("sha256", state).slice(0, 16)}`;

export interface FlowCookie {
  readonly state: string;
  readonly value: string;
  /** Where the host is reached: over https the cookie goes over nothing else. */
  readonly origin: string;
}

export const flowCookie = ({ state, value, origin }: FlowCookie): string => {
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${nameOf(state)}=${value}; Path=/v1/oauth/callback; Max-Age=${SECONDS}; HttpOnly; SameSite=Lax${secure}`;
};

/** Null: this browser did not set out on it. */
export const readFlowCookie = (header: string | undefined, state: string): string | null =>
  readCookie(header, nameOf(state));
