import { describe, expect, it } from "vitest";
import { AGENT, ANN, MARIA, principal, SIGNER } from "./room-for-tests.ts";
import { mayKeyDecide, whyNotAgain, whyNotDecider, type Decided } from "./who-decides.ts";

const NOBODY_NAMED: Decided["required"] = { count: 1, approvers: [], four_eyes: false };

const asked = (required: Partial<Decided["required"]> = {}, over: Partial<Decided> = {}): Decided => ({
  requested_by: "agent:planner",
  on_behalf_of: "person:ann",
  workspace: "ws_default",
  required: { ...NOBODY_NAMED, ...required },
  ...over,
});

const manager = { approvers: [["role:manager"]] };

describe("who may decide", () => {
  it.each([
    ["a person with the permission", MARIA, asked()],
    ["a person with all permissions", principal("person:owner", { permissions: ["*"] }), asked()],
    ["a person with the permission by its family", principal("person:x", { permissions: ["approvals:*"] }), asked()],
    ["a person for the agent that acts for them", ANN, asked()],
    ["a person at the machine itself", { ...MARIA, assurance: "local" as const }, asked()],
    ["who has the role that is named", principal("person:x", { roles: ["manager"] }), asked(manager)],
    ["who is named", principal("person:bob"), asked({ approvers: [["role:manager", "person:bob"]] })],
    ["who is named as a URI", principal("person:bob"), asked({ approvers: [["person://bob"]] })],
    [
      "who is in every list",
      principal("person:bob", { roles: ["manager"] }),
      asked({ approvers: [["role:manager"], ["person:bob"]] }),
    ],
    ["another person under four eyes", MARIA, asked({ four_eyes: true })],
  ])("%s", (_, by, record) => {
    expect(whyNotDecider(by, record)).toBeNull();
  });

  it.each([
    ["the agent that asks", AGENT, asked()],
    ["an agent with all permissions", principal("agent:x", { permissions: ["*"] }), asked()],
    ["a service", principal("service:x", { permissions: ["*"] }), asked()],
    ["a bundle", principal("bundle:x", { permissions: ["*"] }), asked()],
    ["an app", principal("app:x", { permissions: ["*"] }), asked()],
    ["an agent that is named", principal("agent:x"), asked({ approvers: [["agent:x"]] })],
    ["an agent with the role", principal("agent:x", { roles: ["manager"] }), asked(manager)],
    ["the person that asks", MARIA, asked({}, { requested_by: "person:maria" })],
    [
      "the person that asks, though named",
      MARIA,
      asked({ approvers: [["person:maria"]] }, { requested_by: "person:maria" }),
    ],
    [
      "who acts for the person that asks",
      { ...MARIA, onBehalfOf: "person:bob" },
      asked({}, { requested_by: "person:bob" }),
    ],
    ["a person without the permission", principal("person:x"), asked()],
    ["a person with another permission", principal("person:x", { permissions: ["approvals:read"] }), asked()],
    ["the permission alone where a role is named", ANN, asked(manager)],
    ["who is in one list of two", MARIA, asked({ approvers: [["role:manager"], ["person:bob"]] })],
    ["whose id looks like a role", principal("person:manager"), asked(manager)],
    ["for whom it is asked, under four eyes", ANN, asked({ four_eyes: true })],
    ["a person of another workspace", { ...MARIA, workspace: "ws_b" }, asked()],
    ["where keys alone are named", MARIA, asked({ approvers: [[`key:${SIGNER.publicKey}`]] })],
    ["where nobody can be", MARIA, asked({ approvers: [[]] })],
  ])("not %s", (_, by, record) => {
    expect(whyNotDecider(by, record)).toEqual(expect.any(String));
  });
});

describe("who has said yes already", () => {
  const said = { by: "person:maria", decision: "approve", at: "" } as const;
  it.each([
    ["may not say yes again", "person:maria", true, false, false],
    ["may still say no", "person:maria", false, false, true],
    ["may not under four eyes", "person:maria", false, true, false],
    ["and the others may", "person:ann", true, true, true],
  ])("%s", (_, by, approve, four_eyes, may) => {
    expect(whyNotAgain(by, { decisions: [said], required: { ...NOBODY_NAMED, four_eyes } }, approve) === null).toBe(
      may,
    );
  });
});

it.each([
  ["where nobody is named", {}, true],
  ["not there under four eyes", { four_eyes: true }, false],
  [
    "where it is named, under four eyes too",
    { approvers: [["role:x", `key:${SIGNER.publicKey}`]], four_eyes: true },
    true,
  ],
  ["not where others are named", { approvers: [["role:manager"]] }, false],
  ["not where it is missing in one list", { approvers: [[`key:${SIGNER.publicKey}`], ["role:manager"]] }, false],
])("a pinned key decides %s", (_, required, may) => {
  expect(mayKeyDecide(SIGNER.publicKey, { ...NOBODY_NAMED, ...required })).toBe(may);
});
