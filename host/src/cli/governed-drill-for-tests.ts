/**
 * Callers of a governed host that is killed under them. They go on until nobody answers and remember what they were told, which
 * is what the host has to stand by afterwards. What goes on when is decided by a seed.
 */
import type { Served } from "./drill-for-tests.ts";

export interface Said {
  readonly status: number;
  readonly json: any;
}

/** Whoever asks is told null when the host is gone. */
export type Ask = (method: string, path: string, order?: AskOrder) => Promise<Said | null>;

interface AskOrder {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export const askOf =
  ({ origin }: Pick<Served, "origin">, key: string): Ask =>
  async (method, path, { body, headers = {} } = {}) => {
    try {
      const response = await fetch(origin + path, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, json: await response.json() };
    } catch {
      return null;
    }
  };

/** Numbers from 0 to 1, the same for the same seed. */
export const seeded = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** What the callers were told, by the `n` of the call. */
export interface Told {
  readonly asked: Map<string, string>;
  readonly granted: Set<string>;
  readonly ran: Set<string>;
  /** By idempotency key: what was said first. */
  readonly keyed: Map<string, Said | null>;
}

export interface Callers {
  readonly agent: Ask;
  readonly owner: Ask;
}

export const call = (ask: Ask, name: string, n: string, more: object = {}): Promise<Said | null> =>
  ask("POST", "/v1/tools/call", { body: { name, arguments: { n }, ...more } });

/** Asks for an approval, has it given and uses it, over and over; now and then it leaves one as it is. */
export const seekApprovals = async ({ agent, owner }: Callers, label: string, next: () => number, told: Told) => {
  for (let i = 0; ; i++) {
    const n = `${label}.${i}`;
    const left = next();
    const waiting = await call(agent, "drill__count", n);
    if (waiting === null) return;
    if (waiting.status !== 202) throw new Error(`${n}: ${JSON.stringify(waiting)}`);
    const id = String(waiting.json.approvalId);
    told.asked.set(n, id);
    if (left < 0.04) continue;
    const decided = await owner("POST", `/v1/approvals/${id}`, { body: { decision: "approve" } });
    if (decided === null) return;
    if (decided.status !== 200) throw new Error(`${n}: ${JSON.stringify(decided)}`);
    told.granted.add(n);
    if (left < 0.08) continue;
    // Two at once, of which one may use it.
    const both = await Promise.all([call(agent, "drill__count", n), call(agent, "drill__count", n)]);
    const done = both.filter((said) => said?.status === 200);
    if (done.length > 1) throw new Error(`${n} was done twice`);
    if (done.length === 1) told.ran.add(n);
    // The other has asked anew.
    const asked = both.find((said) => said?.status === 202);
    if (asked && (await agent("DELETE", `/v1/approvals/${asked.json.approvalId}`)) === null) return;
    if (both.includes(null)) return;
  }
};

/** Sends each key twice at once, new ones and those that an earlier host left open. */
export const repeatKeys = async (owner: Ask, label: string, told: Told) => {
  const open = [...told.keyed].filter(([, said]) => said === null).map(([key]) => key);
  for (let i = 0; ; i++) {
    const key = open.pop() ?? `${label}.${i}`;
    if (!told.keyed.has(key)) told.keyed.set(key, null);
    const send = () => call(owner, "third__strict", key, { idempotencyKey: key });
    const [one, two] = await Promise.all([send(), send()]);
    const said = one ?? two;
    if (said !== null) told.keyed.set(key, said);
    if (one === null || two === null) return;
    if (JSON.stringify(one) !== JSON.stringify(two)) throw new Error(`${key}: ${JSON.stringify([one, two])}`);
  }
};

/** Something that may be done so often and no more. */
export interface Budget {
  readonly tool: string;
  readonly limit: number;
  readonly spent: string;
  readonly spend: (n: string) => Promise<Said | null>;
  /** Of an answer that says that there is no more. */
  readonly kindOf: (said: Said) => string | null;
}

/** Uses some of it; says whether there is more. */
export const spend = async ({ spend: one, kindOf, spent }: Budget, label: string, times: number) => {
  for (let i = 0; i < times; i++) {
    const said = await one(`${label}.${i}`);
    if (said === null) return true;
    const kind = kindOf(said);
    if (kind === spent) return false;
    if (kind !== null) throw new Error(`${label}: ${JSON.stringify(said)}`);
  }
  return true;
};
