/**
 * The spine: every call of every door, one stage a line, in the order of docs/one-call.md. No branches and one catch.
 * What a stage decides is in its own room; a "no" is a Refusal and is recorded where it is caught.
 */
import type { Answer, HandleCall, RawCall } from "../kernel/call.ts";
import type {
  Approved,
  Closed,
  Equipped,
  Identified,
  Live,
  Opened,
  Permitted,
  Sent,
  Stopped,
  Surfaced,
  Valid,
} from "../kernel/stages.ts";

export interface Stages {
  readonly identity: (call: RawCall) => Identified;
  /** Waits only for a provider that has never listed anything. */
  readonly surface: (call: Identified) => Surfaced | Promise<Surfaced>;
  readonly lifecycle: (call: Surfaced) => Live;
  readonly environment: (call: Live) => Equipped;
  readonly policy: (call: Equipped) => Permitted;
  readonly input: (call: Permitted) => Valid;
  readonly approval: (call: Valid) => Promise<Approved>;
  readonly open: (call: Approved) => Promise<Opened>;
  readonly upstream: (call: Opened) => Promise<Sent>;
  readonly close: (call: Sent) => Promise<Closed>;
  readonly result: (call: Closed) => Answer;
  readonly refuse: (call: Stopped, no: unknown) => Promise<Answer>;
}

export const createHandleCall =
  (stages: Stages): HandleCall =>
  async (raw) => {
    try {
      const identified = stages.identity(raw);
      const surfaced = await stages.surface(identified);
      const live = stages.lifecycle(surfaced);
      const equipped = stages.environment(live);
      const permitted = stages.policy(equipped);
      const valid = stages.input(permitted);
      const approved = await stages.approval(valid);
      const opened = await stages.open(approved);
      const sent = await stages.upstream(opened);
      const closed = await stages.close(sent);
      return stages.result(closed);
    } catch (no) {
      return stages.refuse(raw, no);
    }
  };
