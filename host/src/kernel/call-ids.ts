/** Under which ids a call is recorded: the caller's own where it gave them. Asked again for the same call, the same. */
import type { CallIds, RawCall } from "./call.ts";
import { makeId } from "./make-id.ts";

export const idsOf = (call: RawCall): CallIds => {
  if (call.ids !== undefined) return call.ids;
  const ids = makeIds(call);
  // In place, like every fact that a stage adds.
  Object.assign(call, { ids });
  return ids;
};

const makeIds = ({ envelope, continues, traceparent }: RawCall): CallIds => {
  const trace = traceparent === null ? null : traceparent.slice(3, 35);
  const given = envelope?.correlationId ?? null;
  return {
    invocationId: envelope?.invocationId ?? makeId("inv_"),
    correlation: {
      id: given ?? makeId("corr_"),
      causationId: continues?.invocationId ?? envelope?.causationId ?? null,
      parentId: envelope?.parentId ?? null,
      traceId: envelope?.traceId ?? trace,
      fresh: given === null,
    },
    evidenceIds: [],
  };
};
