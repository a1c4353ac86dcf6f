/**
 * A tool that requires what the host does not declare: every door lists it with what is missing, refuses it with the same
 * object, records that and starts none of its code; and once a person declares it, every door lets it run.
 */
import { expect, it } from "vitest";
import { framesOf } from "../kernel/chp-client-for-tests.ts";
import { JSON_HEADERS, knock, type Said } from "../transport/client-for-tests.ts";
import { openGatedDoors, terminalDoor, type Heard } from "./gated-doors-for-tests.ts";
import {
  declare,
  DECLARED,
  IMPORT,
  makeGatedPlace,
  MISSING,
  REQUIRED,
  startGated,
  type GatedPlace,
  type Json,
} from "./gated-host-for-tests.ts";

const CODES: Readonly<Record<string, number | string>> = {
  "MCP legacy": -32001,
  "MCP modern": -32001,
  "an item of a batch": -32001,
  "an app": -32001,
  "MCP legacy of the provider": -32001,
  "MCP modern of the provider": -32001,
  "MCP legacy as a task": -32001,
  "a pipe": -32001,
  "bailiwick mcp": -32001,
  REST: 422,
  CHP: "dev.bailiwick.capability_missing",
  program: "capability_missing",
  terminal: 3,
};
const DOORS = Object.keys(CODES);
const isOwn = (door: string): boolean => door.endsWith("of the provider");
const nameAt = (door: string): string => (isOwn(door) ? "import_usd" : "maya__import_usd");

const REMEDY = `Declare ${MISSING} for this host: bailiwick capabilities add ${MISSING}`;

const refusalAt = (door: string): Json => ({
  kind: "capability_missing",
  retryable: false,
  tool: nameAt(door),
  required: REQUIRED,
  missing: [MISSING],
  declared: DECLARED,
  required_capabilities: REQUIRED,
  missing_capabilities: [MISSING],
  declared_capabilities: DECLARED,
  remedy: REMEDY,
  next: REMEDY,
});

/** What evidence says of the last call, and which of it the door was told. */
const lastOf = (place: GatedPlace, since: number): Json => {
  const added = place.events().slice(since);
  const { event_type: type, capability_id: tool, event_id: id, denial } = added.at(-1)!;
  return { count: added.length, type, tool, id, kind: denial?.["details"]["kind"] };
};

const listedAt = (entries: readonly Json[], door: string): Json | undefined =>
  entries.find(({ name }) => name === nameAt(door));

it("is listed with the hint and refused alike at every door, recorded, and never begun; declared, it runs at each", async () => {
  const place = makeGatedPlace();
  const host = await startGated(place);
  const doors = await openGatedDoors(place, host);
  expect(doors.map(({ name }) => name)).toEqual(DOORS);
  const { inputSchema, description } = IMPORT;
  const hint = { own: 1.5, required_capabilities: REQUIRED };

  for (const door of doors) {
    const entries = await door.list();
    if (entries !== null) {
      const { _meta, ...entry } = listedAt(entries, door.name)!;
      expect([door.name, entry]).toEqual([door.name, { name: nameAt(door.name), inputSchema, description }]);
      expect([door.name, _meta]).toMatchObject([
        door.name,
        { vendor: { kept: [1] }, dcc: { ...hint, missing_capabilities: [MISSING] } },
      ]);
    }
    for (const _again of [1, 2]) {
      const since = place.events().length;
      const { code, message, data } = await door.call("import_usd");
      expect([door.name, code, message]).toEqual([
        door.name,
        CODES[door.name],
        `capability_missing: tool '${nameAt(door.name)}' requires ${MISSING}`,
      ]);
      expect([door.name, data]).toMatchObject([door.name, refusalAt(door.name)]);
      const last = lastOf(place, since);
      expect([door.name, last]).toMatchObject([
        door.name,
        { count: 1, type: "execution_denied", tool: "maya__import_usd", kind: "capability_missing" },
      ]);
      if (door.name !== "CHP") expect([door.name, data?.["evidence_id"]]).toEqual([door.name, last["id"]]);
    }
  }
  expect(place.effects()).toEqual([]);
  expect((await host.approvals.list()).length).toBe(0);

  await declare(host, ...DECLARED, MISSING);
  for (const door of doors) {
    const entries = await door.list();
    if (entries !== null)
      expect([door.name, listedAt(entries, door.name)?.["_meta"]["dcc"]]).toEqual([door.name, hint]);
    const since = place.effects().length;
    expect([door.name, await door.call("import_usd")]).toEqual([door.name, { code: null, message: null, data: null }]);
    expect([door.name, place.effects().slice(since)]).toEqual([door.name, ["import_usd"]]);
  }
}, 60_000);

it("is refused alike at the doors that have the whole object, but for its name and its record", async () => {
  const place = makeGatedPlace();
  const host = await startGated(place);
  const whole = (await openGatedDoors(place, host)).filter(({ name }) => !["CHP", "program"].includes(name));
  const said: Json[] = [];
  for (const door of whole) {
    const { evidence_id: id, tool, message, details, ...data } = (await door.call("import_usd")).data!;
    expect(id).toMatch(/^evt_/);
    expect([tool, details.tool]).toEqual([nameAt(door.name), nameAt(door.name)]);
    expect(message).toContain(`'${tool}'`);
    said.push({ ...data, details: { ...details, tool: null } });
  }
  expect(said).toHaveLength(11);
  for (const each of said) expect(each).toEqual(said[0]);
}, 60_000);

it("is refused in one piece to a caller of CHP that waits for a stream, and streams once it may", async () => {
  const require = { conformance__stream: ["pipe"] };
  const place = makeGatedPlace({ settings: { chp: { fixtures: true }, capabilities: { require } } });
  const host = await startGated(place);
  const body = { capability_id: "conformance.stream", payload: {}, mode: "stream" };
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${host.key}` };
  const invoke = (): Promise<Said> => knock(host.origin, { path: "/chp/invoke", headers, body });
  const said = await invoke();
  expect([said.status, said.headers["content-type"]]).toEqual([200, "application/json"]);
  expect(said.json).toMatchObject({
    outcome: "denied",
    started_at: null,
    denial: {
      code: "dev.bailiwick.capability_missing",
      retryable: false,
      details: { kind: "capability_missing", tool: "conformance.stream", required: ["pipe"], missing: ["pipe"] },
    },
  });
  await declare(host, "pipe");
  const frames = framesOf((await invoke()).text);
  expect(frames.map(({ event }) => event)).toEqual(["chunk", "chunk", "chunk", "result"]);
});

it("is refused the same way by a terminal without a running host, which starts the bundle for it", async () => {
  const place = makeGatedPlace();
  const heard: Heard = await terminalDoor(place).call("import_usd");
  expect(heard).toMatchObject({ code: 3, data: refusalAt("terminal") });
  expect(place.effects()).toEqual([]);
  expect(place.events().filter(({ event_type }) => event_type === "execution_denied")).toHaveLength(1);
}, 30_000);
