/** A route that reads much: so many at once for each principal, the others in order, unless they have left. */
import type { ServerResponse } from "node:http";
import type { Caller } from "./authenticate.ts";
import { callerLeft } from "./caller-left.ts";
import { Places } from "./places.ts";
import { ownerOf } from "./sessions.ts";

const AT_ONCE = 2;

interface Ask {
  readonly res: ServerResponse;
  readonly caller: Caller;
}

type Run<A extends Ask, R> = (ask: A) => R | Promise<R>;

/** The routes that go through the same one share the places. */
export const oneOfFew = (): (<A extends Ask, R>(run: Run<A, R>) => (ask: A) => Promise<R>) => {
  const places = new Places(AT_ONCE);
  return (run) => async (ask) => {
    const leave = await places.take(ownerOf(ask.caller.principal));
    try {
      if (ask.res.closed) throw callerLeft();
      return await run(ask);
    } finally {
      leave();
    }
  };
};
