/** Hands a REST request to the one call path. A caller that closes its request cancels the call. */
import { NOBODY } from "../kernel/ask.ts";
import type { Answer } from "../kernel/call.ts";
import { SILENT } from "./call-notices.ts";
import { callerLeft } from "./caller-left.ts";
import type { RestAsk } from "./rest-route.ts";
import type { CallOrder, RunCall } from "./run-call.ts";

export type RestOrder = Pick<CallOrder, "operation" | "provider" | "params" | "envelope" | "approvalWaitMs">;

export type CallFromRest = (ask: RestAsk, order: RestOrder) => Promise<Answer>;

export const createCallFromRest =
  (runCall: RunCall): CallFromRest =>
  async ({ res, caller }, order) => {
    const call = new AbortController();
    const onClose = (): void => call.abort(callerLeft());
    res.on("close", onClose);
    try {
      return await runCall({
        door: "rest",
        ...order,
        ...caller,
        call,
        listener: SILENT,
        asker: NOBODY,
        input: null,
        continues: null,
      });
    } finally {
      res.removeListener("close", onClose);
    }
  };
