import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import { createRuns, type LiveRun } from "./create-runs.ts";
import { ANN, delta, placeOf, readEvents, resultOf, toolDone } from "./runs-for-tests.ts";

const VIEWER = { workspace: "ws_default", owner: ANN };
const SOON = 5;

const refusalOf = (act: () => unknown): Refusal => {
  try {
    act();
  } catch (no) {
    if (no instanceof Refusal) return no;
    throw no;
  }
  throw new Error("it was not refused");
};

const cancelledWith = async ({ signal }: LiveRun): Promise<Refusal> => {
  if (!signal.aborted) await once(signal, "abort");
  return signal.reason as Refusal;
};

describe("a second message to a conversation", () => {
  it("is refused while a run goes on, and the refusal says how to follow and how to cancel it", () => {
    const runs = createRuns();
    const run = runs.begin(placeOf("run_1", "conv_abc"));
    const no = refusalOf(() => runs.begin(placeOf("run_2", "conv_abc")));
    expect(no.kind).toBe("run_in_progress");
    expect(no.next).toContain("GET /v1/runs/run_1/events");
    expect(no.next).toContain("POST /v1/conversations/conv_abc/cancel");
    expect(refusalOf(() => runs.checkFree({ workspace: "ws_default", conversationId: "conv_abc" })).kind).toBe(no.kind);
    run.end(resultOf(run.id));
    expect(runs.active(run)).toBeNull();
    expect(runs.begin(placeOf("run_2", "conv_abc")).id).toBe("run_2");
  });

  it("by somebody else does not name a run that they may not follow", () => {
    const runs = createRuns();
    runs.begin(placeOf("run_1", "conv_abc"));
    const no = refusalOf(() => runs.begin({ ...placeOf("run_2", "conv_abc"), owner: "person:bo" }));
    expect(no.next + no.message + JSON.stringify(no.details)).not.toContain("run_1");
  });

  it("of the same id in another workspace is none", () => {
    const runs = createRuns();
    const run = runs.begin(placeOf("run_1", "conv_abc"));
    runs.begin({ ...placeOf("run_2", "conv_abc"), workspace: "ws_other" });
    expect(runs.active(run)).toBe(run);
  });
});

it("too many runs of one are refused with what to do, and others of the host go on", () => {
  const runs = createRuns({ maxLive: 2 });
  const first = runs.begin(placeOf("run_1", "conv_1"));
  runs.begin(placeOf("run_2", "conv_2"));
  const no = refusalOf(() => runs.begin(placeOf("run_3", "conv_3")));
  expect(no).toMatchObject({ kind: "rate_limited", next: expect.stringContaining("/cancel") });
  expect(no.retryAfterMs).toBeGreaterThan(0);
  expect(refusalOf(() => runs.checkRoom(VIEWER)).kind).toBe(no.kind);
  expect(runs.begin({ ...placeOf("run_4", "conv_4"), owner: "person:bo" }).id).toBe("run_4");
  expect(runs.begin({ ...placeOf("run_5", "conv_5"), workspace: "ws_other" }).id).toBe("run_5");
  first.end(resultOf(first.id));
  expect(runs.begin(placeOf("run_3", "conv_3")).id).toBe("run_3");
});

describe("a run", () => {
  it("is found by its owner in its workspace, and by nobody else", () => {
    const runs = createRuns();
    const run = runs.begin(placeOf("run_1"));
    expect(runs.find("run_1", VIEWER)).toBe(run);
    for (const viewer of [
      { ...VIEWER, owner: "person:bo" },
      { ...VIEWER, workspace: "ws_other" },
    ]) {
      expect(refusalOf(() => runs.find("run_1", viewer)).kind).toBe("not_found");
    }
    expect(refusalOf(() => runs.find("run_2", VIEWER)).message).toContain("run_2");
  });

  it("that is refused tells why and what to do, and its result is rejected with that", async () => {
    const run = createRuns().begin(placeOf("run_1"));
    const no = new Refusal("model_failed", { message: "The model is overloaded.", next: "Send it again." });
    run.fail(no);
    expect((await readEvents(run)).map(({ event }) => event)).toEqual([
      {
        type: "error",
        runId: "run_1",
        error: "model_failed",
        message: "The model is overloaded.",
        remedy: "Send it again.",
      },
    ]);
    await expect(run.result).rejects.toBe(no);
  });

  it("that ends by a bug says nothing of its inside", async () => {
    const run = createRuns().begin(placeOf("run_1"));
    run.fail(new Error("secret path /srv/x"));
    const [last] = await readEvents(run);
    expect(JSON.stringify(last)).not.toContain("secret");
    expect(last?.event).toMatchObject({ type: "error", error: "upstream_failed" });
  });

  it("whose result nobody asks for does not take the process down when it fails", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    createRuns().begin(placeOf("run_1")).fail(new Error("no"));
    for (let turns = 0; turns < 5; turns++) await setImmediate();
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("is cancelled by a person: its signal says so, and whoever drives it ends it", async () => {
    const runs = createRuns();
    const run = runs.begin(placeOf("run_1"));
    run.cancel();
    expect(await cancelledWith(run)).toMatchObject({ kind: "cancelled" });
    expect(run.ended).toBe(false);
    expect(runs.active(run)).toBe(run);
    run.fail(run.signal.reason);
    expect((await readEvents(run)).at(-1)?.event).toMatchObject({ type: "error", error: "cancelled" });
  });

  it("that has ended is not cancelled any more", () => {
    const run = createRuns().begin(placeOf("run_1"));
    run.end(resultOf(run.id));
    run.cancel();
    expect(run.signal.aborted).toBe(false);
  });
});

describe("a run that nobody follows", () => {
  it("is cancelled when its time is up", async () => {
    const run = createRuns({ graceMs: SOON }).begin(placeOf("run_1"));
    expect((await cancelledWith(run)).message).toContain("nobody followed it");
  });

  it("goes on as long as one of several listens, and is cancelled after the last has left", async () => {
    const run = createRuns({ graceMs: SOON }).begin(placeOf("run_1"));
    const [first, second] = [new AbortController(), new AbortController()];
    const reading = [first, second].map(async ({ signal }) => {
      for await (const _ of run.events(0, signal)) continue;
    });
    first.abort();
    await reading[0];
    await new Promise((resolve) => setTimeout(resolve, SOON * 6));
    expect(run.signal.aborted).toBe(false);
    second.abort();
    await reading[1];
    expect((await cancelledWith(run)).kind).toBe("cancelled");
  });

  it("is one whose only listener went away in the middle of reading", async () => {
    const run = createRuns({ graceMs: SOON }).begin(placeOf("run_1"));
    const gone = new AbortController();
    const events = run.events(0, gone.signal);
    run.tell(delta(run.id, "a"));
    await events.next();
    gone.abort();
    expect((await cancelledWith(run)).kind).toBe("cancelled");
  });

  it("is none while somebody waits for its result; to leave twice counts once", async () => {
    const run = createRuns({ graceMs: SOON }).begin(placeOf("run_1"));
    const leave = run.hold();
    const stay = run.hold();
    leave();
    leave();
    await new Promise((resolve) => setTimeout(resolve, SOON * 6));
    expect(run.signal.aborted).toBe(false);
    stay();
    expect((await cancelledWith(run)).kind).toBe("cancelled");
  });
});

describe("runs that ended", () => {
  it("are kept for a while and then forgotten, but for who reads them already", async () => {
    const runs = createRuns({ keepMs: SOON });
    const run = runs.begin(placeOf("run_1"));
    const events = run.events(0, new AbortController().signal);
    run.tell(delta(run.id, "a"));
    await events.next();
    run.end(resultOf(run.id));
    expect(runs.find(run.id, VIEWER)).toBe(run);
    await vi.waitFor(() => expect(refusalOf(() => runs.find(run.id, VIEWER)).kind).toBe("not_found"));
    expect((await events.next()).value).toMatchObject({ id: 2, event: { type: "done" } });
  });

  it("are the newest so many", () => {
    const runs = createRuns({ maxEnded: 2 });
    const ids = ["run_1", "run_2", "run_3"];
    const begun = ids.map((id) => runs.begin(placeOf(id)));
    for (const run of begun.toReversed()) run.end(resultOf(run.id));
    expect(refusalOf(() => runs.find("run_3", VIEWER)).kind).toBe("not_found");
    expect([runs.find("run_1", VIEWER), runs.find("run_2", VIEWER)]).toEqual([begun[0], begun[1]]);
  });

  it("are the newest that fit, by what they told", () => {
    const runs = createRuns({ maxEndedBytes: 250_000 });
    for (const id of ["run_1", "run_2", "run_3"]) {
      const run = runs.begin(placeOf(id));
      run.tell(toolDone(id, "x".repeat(100_000)));
      run.end(resultOf(id));
    }
    expect(refusalOf(() => runs.find("run_1", VIEWER)).kind).toBe("not_found");
    expect(runs.find("run_2", VIEWER).id + runs.find("run_3", VIEWER).id).toBe("run_2run_3");
  });
});

describe("a host that stops", () => {
  it("cancels all runs, waits until they have ended, and begins none", async () => {
    const runs = createRuns();
    const begun = ["run_1", "run_2"].map((id) => runs.begin(placeOf(id)));
    const ended: string[] = [];
    for (const run of begun) {
      const endLater = async (): Promise<void> => {
        await setImmediate();
        ended.push(run.id);
        run.fail(run.signal.reason);
      };
      run.signal.addEventListener("abort", () => void endLater());
    }
    await runs.close();
    expect(ended).toEqual(["run_1", "run_2"]);
    await expect(begun[0]?.result).rejects.toMatchObject({ kind: "cancelled" });
    expect(refusalOf(() => runs.begin(placeOf("run_3"))).kind).toBe("not_ready");
  });
});
