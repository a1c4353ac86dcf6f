/** A tool whose definition nobody has accepted: listed and refused alike, by the real stages. */
import { expect, test } from "vitest";
import type { Answer } from "../kernel/call.ts";
import type { EvidenceDraft } from "../kernel/evidence.ts";
import type { Principal } from "../kernel/principal.ts";
import { EMPTY_CATALOGUE, type ListedTool, type Provider } from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import type { Surface } from "../kernel/surface.ts";
import { UriOwners } from "../kernel/uri-owners.ts";
import { createCallPath } from "./create-call-path.ts";
import { ungoverned } from "./governance-for-tests.ts";
import { result } from "./path-for-tests.ts";
import { keepTasks } from "./upstream/task-records-for-tests.ts";
import { RAW } from "./raw-call-for-tests.ts";

const toolOf = (held?: ListedTool["held"]): ListedTool => {
  const value = { name: "t", description: "as accepted", inputSchema: { type: "object" } };
  const tool = { name: "t", definition: "sha256:0", json: rawJson(JSON.stringify(value)), value };
  return held === undefined ? tool : { ...tool, held };
};

interface Bench {
  readonly call: () => Promise<Answer>;
  readonly list: (tool: ListedTool) => void;
  readonly surface: () => Surface;
  readonly sent: unknown[];
  readonly events: EvidenceDraft[];
  /** Runs when something is recorded: first of all the intent, after all gates and before the call is sent. */
  beforeSend: () => void;
}

const openBench = (): Bench => {
  const events: EvidenceDraft[] = [];
  const sent: unknown[] = [];
  let catalogue = { ...EMPTY_CATALOGUE, tools: [toolOf()] };
  const path = createCallPath({
    ...ungoverned(),
    log: {
      append: (draft) => {
        events.push(draft);
        bench.beforeSend();
        return Promise.resolve({ eventId: "evt", sequence: events.length });
      },
      appendAll: () => Promise.reject(new Error("no event stands before another here")),
      writable: () => true,
      close: () => Promise.resolve(),
    },
    findKey: () => null,
    noAuth: () => true,
    maxNameLength: 64,
    isMember: () => false,
    ownersOf: () => new UriOwners(),
    taskStore: keepTasks(),
    isOpen: () => false,
    reportBug: (error) => {
      throw error;
    },
  });
  const status = { reason: null, next: null, since: 0, retryAfterMs: null, version: null, restartsInWindow: 0 };
  const provider: Provider = {
    name: "p",
    status: () => ({ ...status, state: "running", lastError: null }),
    catalogue: () => catalogue,
    whenReady: () => Promise.resolve(true),
    watch: () => false,
    send: (request) => {
      sent.push(request);
      return Promise.resolve(result('{"content":[]}'));
    },
  };
  path.providers.add(provider);
  const bench: Bench = {
    events,
    sent,
    beforeSend: () => {},
    call: () => path.handleCall({ ...RAW, signal: new AbortController().signal }),
    list: (tool) => {
      catalogue = { ...catalogue, tools: [tool] };
      path.providers.changed("p");
    },
    surface: () => path.surfaces.of(SOMEBODY, null) as Surface,
  };
  return bench;
};

const SOMEBODY = { id: "person:owner", kind: "person", scopes: null, workspace: "ws_default" } as unknown as Principal;

const NEXT = "Look at what is new, then run: bailiwick bundle accept p t";

test.each(["definition_changed", "definition_new"] as const)(
  "%s: listed as suspended with the command, refused with it, recorded, not sent",
  async (held) => {
    const bench = openBench();
    const before = bench.surface().token;
    bench.list(toolOf(held));
    const [entry] = JSON.parse(bench.surface().tools()) as Record<string, unknown>[];
    expect(entry).toMatchObject({
      name: "p__t",
      _meta: { "dev.bailiwick/lifecycle": { state: "suspended", reason: held, next: NEXT } },
    });
    expect(bench.surface().rows()).toMatchObject([{ state: "suspended", reason: held, next: NEXT }]);
    expect(bench.surface().token).not.toBe(before);
    const { ending } = await bench.call();
    expect(ending).toMatchObject({ kind: "refusal", stage: 4, refusal: { kind: held, next: NEXT } });
    expect(bench.sent).toEqual([]);
    expect(bench.events).toMatchObject([{ outcome: "skipped" }]);
    bench.list(toolOf());
    expect((await bench.call()).ending).toMatchObject({ kind: "result" });
    expect(bench.surface().token).toBe(before);
  },
);

test("a tool that is held while its call is on its way is not sent, though the accepted definition still stands", async () => {
  const bench = openBench();
  bench.beforeSend = () => bench.list(toolOf("definition_changed"));
  const { ending } = await bench.call();
  expect(ending).toMatchObject({ kind: "refusal", refusal: { kind: "stale_surface" } });
  expect(bench.sent).toEqual([]);
});
