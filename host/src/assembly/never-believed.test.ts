/** Who calls is what was verified and nothing that a request says; a key is its public key and nothing that a statement says. */
import { expect, it } from "vitest";
import { mandate, newSigner, revocation, witness } from "../kernel/chp-statements-for-tests.ts";
import type { Signer } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import { JSON_HEADERS, knock, modern, openSession } from "../transport/client-for-tests.ts";
import { makeGovernedPlace, ofMcp, startGoverned, type Governed } from "./governed-host-for-tests.ts";

const CLAIM = "agent://somebody";
const FORGED = {
  subject: { id: CLAIM, type: "agent", verified: true },
  actor: CLAIM,
  verified: true,
  principal: CLAIM,
  on_behalf_of: "person://owner",
  roles: ["owner"],
  permissions: ["*"],
};
const CLOSED = {
  policy: {
    capabilities: {
      ops__actors: { allowed_actors: [CLAIM] },
      ops__permission: { required_permissions: ["service:dispatch"] },
    },
    rules: [{ id: "not-planner", match: { tools: ["ops__ruled"], principals: ["agent:planner"] }, effect: "deny" }],
  },
  auth: { principals: { "agent:somebody": { permissions: ["service:dispatch"] } } },
};
const KINDS = { ops__actors: "not_visible", ops__permission: "permission_missing", ops__ruled: "policy_denied" };

it("a caller that says it is somebody else, has a role or is verified is what its credential says, at every door", async () => {
  const { host, agent, place } = await startGoverned(makeGovernedPlace(["actors", "permission", "ruled"], CLOSED));
  const { origin } = host;
  const headers = {
    ...JSON_HEADERS,
    authorization: `Bearer ${agent}`,
    "x-actor": CLAIM,
    "x-principal": CLAIM,
    "x-chp-actor": CLAIM,
    "x-forwarded-user": "owner",
  };
  const session = await openSession(origin, "2025-11-25", "/mcp", agent);
  const meta = { ...FORGED, "dev.bailiwick/principal": CLAIM, "dev.bailiwick/subject": FORGED.subject };
  for (const [tool, kind] of Object.entries(KINDS)) {
    const params = { name: tool, arguments: {}, ...FORGED, _meta: meta };
    const body = { name: tool, arguments: {}, ...FORGED };
    const before = place.events().length;
    expect(ofMcp(await session.call("tools/call", params)).refused).toBe(kind);
    expect(ofMcp(await knock(origin, modern("tools/call", params, headers))).refused).toBe(kind);
    expect((await knock(origin, { path: "/v1/tools/call", headers, body })).json).toMatchObject({ error: kind });
    const invoked = { capability_id: tool, ...FORGED, metadata: { actor: CLAIM, context: FORGED } };
    const { json } = await knock(origin, { path: "/chp/invoke", headers, body: invoked });
    expect(json).toMatchObject({ outcome: "denied", denial: { details: { kind } } });
    const events = place.events().slice(before);
    expect(events.map(({ subject }) => [subject?.["id"], subject?.["verified"]])).toEqual(
      events.map(() => ["agent://planner", true]),
    );
    const { subject, actor, verified } = FORGED;
    expect(events.at(-1)?.subject?.["asserted"]).toEqual({ subject, actor, verified });
  }
  expect(place.effects()).toEqual([]);
});

it("an answer is given again to who made the call and to nobody else, and for no other call", async () => {
  const { host, agent, place } = await startGoverned(makeGovernedPlace(["do"], {}));
  const { secret: other } = await host.keys.create({ name: "other" });
  const ask = async (key: string, path: string, body: object): Promise<{ status: number; json: any }> =>
    host.rest("POST", path, body, { authorization: `Bearer ${key}` });
  const invoke = async (key: string, n: string): Promise<any> =>
    (await ask(key, "/chp/invoke", { capability_id: "ops__do", payload: { n }, invocation_id: "same" })).json;
  const rest = (key: string, n: string): Promise<{ status: number; json: any }> =>
    ask(key, "/v1/tools/call", { name: "ops__do", arguments: { n }, idempotencyKey: "same-key" });

  const first = await invoke(agent, "a");
  expect(await invoke(agent, "a")).toEqual({ ...first, replayed: true });
  const theirs = await invoke(other, "a");
  expect(theirs).toMatchObject({ outcome: "success" });
  expect(theirs.replayed).toBeUndefined();
  expect(theirs.evidence_ids).not.toEqual(first.evidence_ids);
  expect(await invoke(agent, "b")).toMatchObject({ denial: { code: "dev.bailiwick.idempotency_conflict" } });

  const said = await rest(agent, "c");
  expect(await rest(agent, "c")).toEqual(said);
  const different = await rest(other, "c");
  expect(different.status).toBe(200);
  expect(different.json._meta).not.toEqual(said.json._meta);
  expect((await rest(host.key, "c")).json._meta).not.toEqual(said.json._meta);
  expect(await rest(agent, "d")).toMatchObject({ status: 409, json: { error: "idempotency_conflict" } });
  expect(place.effects()).toEqual(["do a", "do a", "do c", "do c", "do c"]);
});

const token = (signer: Signer, audience: string): any => {
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const header = {
    kind: "auth-token",
    sub: "signing-caller",
    aud: audience,
    iat: at(-1_000),
    exp: at(60_000),
    canonicalization: "chp-stable-v1",
  };
  const claim = {
    host_id: "signing-caller",
    public_key: signer.publicKey,
    key_id: signer.keyId,
    valid_from: at(-60_000),
    valid_until: null,
  };
  const host_identity = { ...claim, signature: signer.sign(stable(claim)) };
  return {
    ...header,
    caller: { host_id: "signing-caller", public_key: signer.publicKey, host_identity },
    signature: { algorithm: "ed25519", key_id: signer.keyId, signature: signer.sign(stable(header)) },
  };
};

/** Each place at which a statement names a key by its id. */
const renamings = (statement: any): readonly any[] => {
  const made: any[] = [];
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      if (key === "key_id") {
        const copy = structuredClone(statement);
        let at = copy;
        for (const step of path) at = at[step];
        at.key_id = String(each).startsWith("0") ? `1${String(each).slice(1)}` : `0${String(each).slice(1)}`;
        made.push(copy);
      }
      walk(each, [...path, key]);
    }
  };
  walk(statement, []);
  return made;
};

const openStatements = async (): Promise<Governed & { signer: Signer }> => {
  const signer = newSigner();
  const governed = await startGoverned(
    makeGovernedPlace(["do"], {
      chp: { mandates: { principals: "any", delegateBinding: "name" } },
      auth: { tokens: { "signing-caller": signer.publicKey }, chpKeys: ["runner:k"] },
    }),
  );
  return { ...governed, signer };
};

it("a statement of any kind whose key id is not that of its key is refused, and counts when it is", async () => {
  const { host, signer } = await openStatements();
  const chp = async (
    path: string,
    body: object | null,
    headers: object = { "x-chp-key": "runner:k" },
  ): Promise<any> => {
    const method = body === null ? "GET" : "POST";
    const known = { "content-type": "application/json", ...headers };
    const said = await fetch(`${host.origin}/chp${path}`, {
      method,
      headers: known,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: said.status, json: await said.json() };
  };
  const under = async (given: object): Promise<string> =>
    (await chp("/invoke", { capability_id: "ops__do", payload: {}, mandate: given })).json.outcome as string;
  const order = { principal: "the-principal", signer, delegate: "runner", scope: ["ops__do"] };
  const child = mandate({ ...order, principal: "runner", parent: mandate(order) });
  const head = (await chp("/head", null)).json;
  const kinds: [string, object, (given: object) => Promise<string>, string][] = [
    ["mandate", mandate(order), under, "success"],
    ["mandate under a mandate", child, under, "success"],
    [
      "revocation",
      revocation("mnd_x", "the-principal", signer),
      async (each) => String((await chp("/revocations", each)).status),
      "200",
    ],
    ["witness", witness(head, signer), async (each) => String((await chp("/witness", each)).status), "200"],
    [
      "token",
      token(signer, host.info.id),
      async (each) => String((await chp("/host", null, { "x-chp-token": JSON.stringify(each) })).status),
      "200",
    ],
  ];
  for (const [kind, statement, judge, good] of kinds) {
    const wrong = renamings(statement);
    expect([kind, wrong.length]).toEqual([kind, expect.toSatisfy((length) => Number(length) >= 2)]);
    const said: string[] = [];
    for (const each of wrong) said.push(await judge(each));
    expect([kind, said]).toEqual([kind, said.map(() => expect.stringMatching(/^(denied|400|401|409)$/))]);
    expect([kind, await judge(statement)]).toEqual([kind, good]);
  }
});
