import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { approvalOf } from "./approvals-for-tests.ts";
import { approvalLink } from "./approval-page.ts";
import { knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";

const ID = `apr_${"0".repeat(31)}1`;
const PATH = `/approvals/${ID}`;
const AGENT = "agent-key";
let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor();
  door.principals.set(AGENT, { ...door.principals.get(OWNER)!, id: "agent:ci", kind: "agent" });
});
beforeEach(() => {
  door.rejected.length = 0;
  door.governance.queue.clear();
  door.governance.queue.set(ID, approvalOf(ID, { arguments: { amount: 12_345, to: "<b>x</b>\u202ey" } }));
});
afterAll(() => door.listener.close());

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const open = (path = PATH): Promise<Said> => knock(door.origin, { method: "GET", path, headers: {} });
const send = (fields: Record<string, string>, headers: Record<string, string> = {}, path = PATH): Promise<Said> =>
  knock(door.origin, { path, headers: { ...FORM, ...headers }, body: new URLSearchParams(fields).toString() });
const state = (): unknown => door.governance.queue.get(ID)?.state;

describe("the page of an approval", () => {
  it("tells whoever opens it nothing but what the link says, and asks for a key", async () => {
    const said = await open();
    expect([said.status, said.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(said.text).toContain('<input type="password" name="key" autocomplete="off" required>');
    for (const secret of ["p__pay", "12345", "agent:planner", "person:owner", "refunds"])
      expect(said.text).not.toContain(secret);
    const nowhere = `/approvals/apr_${"f".repeat(32)}`;
    expect((await open(nowhere)).text.replaceAll("f".repeat(32), `${"0".repeat(31)}1`)).toBe(said.text);
  });

  it("runs nothing, loads nothing, is framed by nobody, kept nowhere and sets no cookie", async () => {
    for (const { headers, text } of [await open(), await send({ key: OWNER })]) {
      expect(headers["content-security-policy"]).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; frame-ancestors 'none'; form-action 'self'; base-uri 'none'$/,
      );
      expect([headers["cache-control"], headers["set-cookie"]]).toEqual(["no-store", undefined]);
      expect(text).not.toMatch(/<script|\son\w+=|src=|href=/i);
    }
  });

  it("offers a person who may not see the arguments to refuse the call, and nothing else", async () => {
    door.governance.queue.set(ID, approvalOf(ID, { arguments: null }));
    const { text } = await send({ key: OWNER });
    expect(text.match(/<input type="radio" name="decision" value="(?:approve|deny)"/g)).toEqual([
      '<input type="radio" name="decision" value="deny"',
    ]);
  });

  it("shows the exact call to a person who gave a key: who, for whom, why, how long, and every argument", async () => {
    const { text, status } = await send({ key: OWNER });
    expect(status).toBe(200);
    for (const shown of ["p__pay", "agent:planner", "person:owner", "refunds", "high", "2026-01-02T04:04:05.678Z"])
      expect(text).toContain(shown);
    expect(text).toContain("&quot;amount&quot;: 12345");
    expect(text).toContain("&lt;b&gt;x&lt;/b&gt;\\u{202e}y");
    expect(text).not.toContain(OWNER);
    expect(text.match(/<input type="radio" name="decision" value="(?:approve|deny)" required>/g)).toHaveLength(2);
    expect(text).not.toContain("checked");
    expect(state()).toBe("pending");
  });

  it.each([
    ["approve", "granted", "Allowed"],
    ["deny", "denied", "Refused"],
  ])("takes the word %s, with the key once more", async (decision, end, title) => {
    const said = await send({ key: OWNER, decision, reason: " because " });
    expect([said.status, state()]).toEqual([200, end]);
    expect(said.text).toContain(`<h1>${title}</h1>`);
    expect((await send({ key: OWNER })).text).not.toContain('name="decision"');
  });

  it.each([
    ["no key", {}, 401, 1],
    ["a wrong key", { key: "nobody" }, 401, 1],
    ["the key of an agent", { key: AGENT }, 403, 0],
    ["the key of somebody who may not see it", { key: OTHER }, 404, 0],
  ])("decides nothing and shows nothing with %s", async (_, fields, status, rejected) => {
    for (const decision of ["", "approve", "deny"]) {
      door.rejected.length = 0;
      const said = await send({ ...(fields as Record<string, string>), decision });
      expect([said.status, state()]).toEqual([status, "pending"]);
      expect(said.text).not.toContain("12345");
      expect(door.rejected).toHaveLength(rejected);
    }
  });

  it("takes a key from its form alone: not from the address, and no header stands for it", async () => {
    expect((await send({ decision: "approve" }, {}, `${PATH}?key=${OWNER}`)).status).toBe(401);
    expect((await send({ decision: "approve" }, { authorization: `Bearer ${OWNER}` })).status).toBe(401);
    expect(state()).toBe("pending");
  });

  it("takes nothing from another site, no other kind of body and no large one", async () => {
    const order = { key: OWNER, decision: "approve" };
    for (const origin of ["https://evil.example", "null", "https://app.example"])
      expect((await send(order, { origin })).status).toBe(403);
    expect((await send(order, { "content-type": "application/json" })).status).toBe(415);
    expect((await send({ ...order, reason: "x".repeat(10_000) })).status).toBe(413);
    expect(state()).toBe("pending");
    expect((await send(order, { origin: door.origin })).status).toBe(200);
  });

  it.each(["/approvals/", "/approvals/x", "/approvals/APR_0", `${PATH}/more`, `/approvals/${ID}0`])(
    "is nothing at %s",
    async (path) => expect((await knock(door.origin, { method: "GET", path })).status).toBe(404),
  );

  it("has an address that names another workspace than the usual one", () => {
    expect(approvalLink("https://h", ID, "ws_default")).toBe(`https://h${PATH}`);
    expect(approvalLink("https://h", ID, "ws_ops")).toBe(`https://h${PATH}?workspace=ws_ops`);
  });

  it("asks for no key where the host asks for none", async () => {
    const plain = await openTestDoor({ noAuth: true });
    plain.governance.queue.set(ID, approvalOf(ID));
    const shown = await knock(plain.origin, { method: "GET", path: PATH, headers: {} });
    expect(shown.text).toContain("&quot;amount&quot;: 5");
    expect(shown.text).not.toContain('name="key"');
    await knock(plain.origin, { path: PATH, headers: FORM, body: "decision=approve" });
    expect(plain.governance.queue.get(ID)?.state).toBe("granted");
    await plain.listener.close();
  });
});
