/**
 * The number that a caller is told only grows. While a call waits inside the host, the host counts by itself; what its
 * server says afterwards is shifted by the last of that.
 */
import { rawMembers, type RawMembers } from "../kernel/raw-json.ts";
import { memberOf } from "../kernel/scan-json.ts";

/** How the host itself begins; a server that says the same is only shifted by its own number. */
const OWN = /^"progress":(\d{1,15}),"message":"waiting for approval /;
const SHIFTED = ["total", "progress"] as const;

export const createRisingProgress = (): ((members: RawMembers) => RawMembers) => {
  let last = 0;
  return (members) => {
    const own = OWN.exec(members);
    if (own !== null) last = Number(own[1]);
    return own !== null || last === 0 ? members : shift(members, last);
  };
};

const shift = (members: RawMembers, by: number): RawMembers => {
  let text = `{${members}}`;
  for (const name of SHIFTED) {
    const found = memberOf(text, name);
    const value: unknown = found && JSON.parse(text.slice(found.start, found.end));
    if (found !== null && Number.isFinite(value)) {
      text = `${text.slice(0, found.start)}${Number(value) + by}${text.slice(found.end)}`;
    }
  }
  return rawMembers(text.slice(1, -1));
};
