/** What a key is, in one phrase. Pure. */
import type { KeyRow } from "../kernel/key.ts";

export const describeKey = ({ as, for: behalf, scopes, permissions }: KeyRow): string => {
  const who = behalf === null ? as : `${as} for ${behalf}`;
  const what = scopes === null ? "every tool" : scopes.length === 0 ? "no tool" : scopes.join(" ");
  const more = permissions.length === 0 ? "" : `, may ${permissions.join(" ")}`;
  return `${who}, ${what}${more}`;
};
