import { hash } from "node:crypto";
import { expect, it } from "vitest";
import type { Principal } from "../../kernel/principal.ts";
import { keyOf } from "./once-binding.ts";

it.each([
  ["agent:mcp-client", "person:ann", "ws_default"],
  ["service:runner", null, "ws_lab"],
])("keys answers of %s for %s in %s as earlier versions did, so that they are found after an update", (...who) => {
  const [id, onBehalfOf, workspace] = who;
  const principal = { id, onBehalfOf, workspace } as Principal;
  const name = onBehalfOf === null ? id : `${id} for ${onBehalfOf}`;
  for (const onceKey of ["inv_1", 'a"b\\c', "inv_1"]) {
    const whole = hash("sha256", JSON.stringify([name, workspace, onceKey]));
    expect(keyOf(principal, onceKey)).toBe(whole.slice(0, 32));
  }
});
