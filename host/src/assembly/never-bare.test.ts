/** How a call ends that could not run or whose end is unknown: said with a next step and recorded, at every door. */
import { expect, it } from "vitest";
import { makeGovernedPlace, startGoverned, type Governed } from "./governed-host-for-tests.ts";

interface Ending {
  readonly tool: string;
  readonly kind: string;
  /** Of the last event of the call. */
  readonly type: string;
  /** Brings the host where it ends so. */
  readonly before?: (governed: Governed) => Promise<unknown>;
  /** Happens while the calls are open. */
  readonly during?: (governed: Governed) => Promise<unknown>;
}

const denyAll = async ({ host }: Governed): Promise<void> => {
  const { approvals } = (await host.rest("GET", "/v1/approvals?state=pending")).json as { approvals: { id: string }[] };
  for (const { id } of approvals) {
    const decided = await host.rest("POST", `/v1/approvals/${id}`, { decision: "deny", reason: "not today" });
    expect(decided.status).toBe(200);
  }
};

const ENDINGS: readonly Ending[] = [
  { tool: "ops__asked", kind: "approval_pending", type: "execution_denied" },
  { tool: "ops__asked", kind: "approval_denied", type: "execution_denied", before: denyAll },
  { tool: "ops__hang", kind: "indeterminate", type: "execution_indeterminate" },
  {
    tool: "ops__hold",
    kind: "indeterminate",
    type: "execution_indeterminate",
    during: async ({ host, place, doors }) => {
      await expect.poll(() => place.effects().filter((each) => each === "hold x")).toHaveLength(doors.length);
      await host.rest("POST", "/v1/tools/call", { name: "ops__die", arguments: {} });
    },
  },
  {
    tool: "ops__asked",
    kind: "unavailable",
    type: "execution_skipped",
    before: async ({ host }) => {
      await host.bundles.stop("ops");
    },
  },
];

it("says what it is, what to do and where it is recorded, and is no failure of the host", async () => {
  const governed = await startGoverned(
    makeGovernedPlace(["asked", "hang", "hold", "die"], {
      policy: {
        rules: [{ id: "ask", match: { tools: ["ops__asked"] }, effect: "require_approval" }],
        capabilities: { ops__hang: { timeout_s: 1 } },
      },
    }),
  );
  const { doors, place, host } = governed;
  for (const { tool, kind, type, before, during } of ENDINGS) {
    await before?.(governed);
    if (before === undefined) await host.until("ops", "running");
    const asked = Promise.all(doors.map(({ call }) => call(tool, { n: "x" })));
    await during?.(governed);
    const all = await asked;
    const types = new Map(place.events().map(({ event_id, event_type }) => [event_id, event_type]));
    const wrong = all.filter(
      ({ refused, next, status, evidenceId }) =>
        refused !== kind ||
        next.length < 10 ||
        // 502 is what an upstream did.
        (status >= 500 && status !== 502) ||
        types.get(evidenceId ?? "") !== type,
    );
    expect([tool, kind, wrong]).toEqual([tool, kind, []]);
  }
  expect((await host.rest("GET", "/v1/health")).json).toMatchObject({ status: "ok" });
}, 60_000);
