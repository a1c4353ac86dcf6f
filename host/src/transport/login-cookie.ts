/** The cookie of a login. No script reads it, and no page of another site sends it along. */
import { readCookie } from "./read-cookie.ts";

const NAME = "bw_session";

/** Over https it goes over nothing else. It has no end of its own: the host decides how long a login lasts. */
export const loginCookie = (id: string, publicOrigin: string | null): string =>
  `${NAME}=${id}; Path=/; HttpOnly; SameSite=Strict${publicOrigin?.startsWith("https:") === true ? "; Secure" : ""}`;

export const endLoginCookie = (publicOrigin: string | null): string => `${loginCookie("", publicOrigin)}; Max-Age=0`;

export const readLoginCookie = (header: string | undefined): string | null => readCookie(header, NAME);
