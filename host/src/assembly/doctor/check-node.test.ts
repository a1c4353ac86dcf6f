import { expect, it } from "vitest";
import { checkNode } from "./check-node.ts";

it.each([
  ["22.18.0", "ok"],
  ["24.1.0", "ok"],
  ["22.17.9", "fail"],
  ["20.19.0", "fail"],
])("Node %s: %s", (version, state) => {
  expect(checkNode(version).state).toBe(state);
});
