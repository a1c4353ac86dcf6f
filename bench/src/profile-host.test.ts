import { expect, test } from "vitest";
import { type CpuProfile, summarise } from "./profile-host.ts";

const frame = (
  id: number,
  functionName: string,
  url: string,
  children: number[] = [],
): CpuProfile["nodes"][number] => ({
  id,
  callFrame: { functionName, url },
  children,
});

const PROFILE: CpuProfile = {
  nodes: [
    frame(1, "(root)", "", [2, 3, 6]),
    frame(2, "(idle)", ""),
    frame(3, "receive", "file:///x/host/dist/transport/door.js", [4, 5]),
    frame(4, "append", "file:///x/host/dist/call/evidence/evidence.js", [7]),
    frame(5, "write", "node:net"),
    frame(6, "onread", "node:internal/stream_base_commons"),
    frame(7, "hash", "node:internal/crypto/hash"),
  ],
  startTime: 1000,
  samples: [3, 4, 7, 5, 6, 2, 3],
  timeDeltas: [0, 10, 20, 30, 40, 50, 60],
};

test("time is added up by room, and Node's own is charged to the room that asked for it", () => {
  const found = summarise("main thread", PROFILE, { fromMicros: 0, toMicros: 5000, calls: 10 });
  expect(found.rows).toEqual([
    { where: "transport", ownMicros: 1, nodeMicros: 4 },
    { where: "call/evidence", ownMicros: 2, nodeMicros: 3 },
    { where: "node", ownMicros: 0, nodeMicros: 5 },
  ]);
  expect(found.busyShare).toBeCloseTo(150 / 210);
});

test("what lies outside the window is left out", () => {
  const found = summarise("main thread", PROFILE, { fromMicros: 1005, toMicros: 1030, calls: 1 });
  expect(found.rows).toEqual([{ where: "call/evidence", ownMicros: 20, nodeMicros: 30 }]);
});
