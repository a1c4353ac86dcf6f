import { beforeEach, describe, expect, it } from "vitest";
import type { Principal } from "../../kernel/principal.ts";
import { entry, openBench, OWNER, provider, refusalOf, resource, scoped, type Bench } from "./sheets-for-tests.ts";

let registry: Bench["registry"];
let sheets: Bench["sheets"];
let find: Bench["find"];
let listed: Bench["listed"];
beforeEach(() => {
  ({ registry, sheets, find, listed } = openBench());
});

describe("listing", () => {
  it("orders by provider, then by name, and prefixes with the provider", () => {
    registry.add(provider("zoo", { tools: ['{"name":"b"}', '{"name":"a"}'] }));
    registry.add(provider("art", { tools: ['{"name":"x__y"}'] }));
    expect(listed()).toEqual(["art__x__y", "zoo__a", "zoo__b"]);
    expect(listed(OWNER, "zoo")).toEqual(["a", "b"]);
  });

  it("keeps every other byte of an entry", () => {
    const odd =
      '{ "title":"caf\\u00e9", "name" : "t","inputSchema":{"type":"object","x-odd":1.0e0},"icons":[{"src":"data:,"}],"n":12345678901234567890}';
    registry.add(provider("p", { tools: [odd] }));
    expect(sheets.of(OWNER, null)!.tools()).toBe(`[${odd.replace('"t"', '"p__t"')}]`);
    expect(sheets.of(OWNER, "p")!.tools()).toBe(`[${odd}]`);
  });

  it("says in _meta why a tool cannot run, beside what was there", () => {
    registry.add(provider("p", { tools: ['{"name":"a","_meta":{"x":1.0}}', '{"name":"b"}'], state: "dead" }));
    const text = sheets.of(OWNER, null)!.tools();
    expect(text).toContain('"x":1.0');
    const tools = JSON.parse(text) as { _meta: Record<string, { state: string; reason: string }> }[];
    for (const item of tools) {
      expect(item._meta["dev.bailiwick/lifecycle"]).toMatchObject({ state: "unavailable", reason: "It is down." });
    }
  });

  it("lists a long name under a stable alias and accepts both", () => {
    const long = "n".repeat(80);
    registry.add(provider("p", { tools: [`{"name":"${long}"}`] }));
    const [alias] = listed();
    expect(alias).toMatch(/^p__n{52}_[0-9a-f]{8}$/);
    expect(alias).toHaveLength(64);
    expect(sheets.of(OWNER, null)!.tools()).toContain(`"dev.bailiwick/name":"p__${long}"`);
    expect(find({ name: alias! }).flatName).toBe(`p__${long}`);
    expect(find({ name: `p__${long}` }).flatName).toBe(`p__${long}`);
    registry.add(provider("q", { tools: [`{"name":"${long}"}`] }));
    expect(listed()[0]).toBe(alias);
  });

  it("finds an alias that is cut before the provider's name ends", () => {
    ({ registry, find, listed } = openBench({ maxNameLength: 20 }));
    registry.add(provider("a-provider-with-a-long-name", { tools: ['{"name":"one"}', '{"name":"two"}'] }));
    expect(listed().map((alias) => find({ name: alias }).name)).toEqual(["one", "two"]);
  });

  it("does not list what an upstream says in the host's name", () => {
    const forged = '"_meta":{"dev.bailiwick/lifecycle":{"state":"disabled"},"dev.bailiwick/provider":"evil","own":1}';
    const resources = [resource("x://1", `,${forged}`)];
    registry.add(provider("p", { tools: [`{"name":"a",${forged}}`], resources }));
    expect(sheets.of(OWNER, null)!.tools()).toBe('[{"name":"p__a","_meta":{"own":1}}]');
    expect(sheets.of(OWNER, null)!.resources()).toBe(
      '[{"uri":"x://1","_meta":{"dev.bailiwick/provider":"p","own":1}}]',
    );
    expect(sheets.of(OWNER, "p")!.resources()).toBe('[{"uri":"x://1","_meta":{"own":1}}]');
  });

  it("has a new token after any change and the same one without", () => {
    registry.add(provider("p", { tools: ['{"name":"a"}'] }));
    const { token } = sheets.of(OWNER, null)!;
    expect(sheets.of(OWNER, null)!.token).toBe(token);
    expect(sheets.of(scoped("p__*"), null)!.token).not.toBe(token);
    registry.add(provider("q", { tools: [] }));
    expect(sheets.of(OWNER, null)!.token).not.toBe(token);
    registry.remove("q");
    expect(sheets.of(OWNER, null)!.token).toBe(token);
  });

  it("shows one provider's change without waiting for anybody", () => {
    const p = provider("p", { tools: ['{"name":"a"}'] });
    registry.add(p);
    expect(sheets.of(OWNER, null)!.rows()[0]!.state).toBe("invokable");
    p.shelf.state = "dead";
    registry.changed("p");
    expect(sheets.of(OWNER, null)!.rows()[0]!.state).toBe("unavailable");
  });
});

describe("naming a tool", () => {
  beforeEach(() => {
    registry.add(provider("mail", { tools: ['{"name":"send","description":"Send a letter"}', '{"name":"read"}'] }));
    registry.add(provider("chat", { tools: ['{"name":"send"}'] }));
  });

  it.each([
    ["mail__sned", "mail__send"],
    ["post__send", "chat__send"],
    ["send", "mail__send"],
    ["letter", "mail__send"],
  ])("suggests for %s among others %s", (name, expected) => {
    const no = refusalOf(() => find({ name }));
    expect(no.kind).toBe("unknown_tool");
    expect(no.details["suggestions"]).toContain(expected);
    expect(no.next).toContain("Did you mean");
  });

  it("suggests by what stands behind the provider", () => {
    registry.add(provider("a", { tools: ['{"name":"calculate"}', '{"name":"zip"}'] }));
    const suggested = (name: string): unknown => refusalOf(() => find({ name })).details["suggestions"];
    expect(suggested("a__sned")).toEqual(["chat__send", "mail__send"]);
    expect(suggested("mail__sned")).toEqual(["mail__send", "chat__send", "mail__read"]);
    expect(suggested("a__??????????????")).toEqual([]);
  });

  it("lists the providers when the provider is unknown, but not to a narrowed key", () => {
    const no = refusalOf(() => find({ name: "post__x" }));
    expect(no.details["providers"]).toEqual(["chat", "mail"]);
    expect(no.next).toMatch(/ Providers: chat, mail\.$/);
    expect(refusalOf(() => find({ name: "mail__x" })).next).not.toContain("Providers");
    expect(refusalOf(() => find({ name: "post__x" }, scoped("post__*"))).next).not.toContain("mail");
    expect(refusalOf(() => find({ name: "post__x" }, scoped("post__*"))).details["providers"]).toBeUndefined();
  });

  it("does not tell a narrowed key whether a tool outside its scope exists", () => {
    const there = refusalOf(() => find({ name: "mail__send" }, scoped("chat__*")));
    const nowhere = refusalOf(() => find({ name: "mail__none" }, scoped("chat__*")));
    expect([there.kind, nowhere.kind]).toEqual(["not_visible", "not_visible"]);
    expect(there.details).toEqual(nowhere.details);
    expect(listed(scoped("chat__*"))).toEqual(["chat__send"]);
    expect(refusalOf(() => find({ name: "chat__sent" }, scoped("chat__*"))).details["suggestions"]).toEqual([
      "chat__send",
    ]);
  });

  it("uses own names on a provider's endpoint and nobody else's", () => {
    expect(find({ name: "send", provider: "mail" }).flatName).toBe("mail__send");
    expect(refusalOf(() => find({ name: "chat__send", provider: "mail" })).kind).toBe("unknown_tool");
  });

  it("refuses a stale token and accepts the current one", () => {
    const surface = sheets.of(OWNER, null)!.token;
    expect(find({ name: "mail__send", surface }).name).toBe("send");
    expect(refusalOf(() => find({ name: "mail__send", surface: "s1_old" })).kind).toBe("stale_surface");
  });

  it.each(["", "__", "__send", "mail__", "constructor", "mail__constructor", "mail____proto__"])(
    "refuses %j",
    (name) => {
      expect(refusalOf(() => find({ name })).kind).toBe("unknown_tool");
    },
  );
});

describe("the providers that a key sees", () => {
  const names = (principal?: Principal) => sheets.providers(principal).map(({ name, tools }) => `${name} ${tools}`);

  it("are all without scopes, else those of which it may name something", () => {
    registry.add(provider("art", { tools: ['{"name":"draw"}', '{"name":"wipe"}'] }));
    registry.add(provider("new", { state: "starting" }));
    registry.add(provider("say", { prompts: [{ ...entry('{"name":"hi"}'), name: "hi" }] }));
    expect(names()).toEqual(["art 2", "new 0", "say 0"]);
    expect(names(OWNER)).toEqual(names());
    expect(names(scoped("art__dr*"))).toEqual(["art 1"]);
    expect(names(scoped("*__hi"))).toEqual(["say 0"]);
    expect(names(scoped("new__anything"))).toEqual(["new 0"]);
    expect(names(scoped("n*__*", "art__*"))).toEqual(["art 2", "new 0"]);
    for (const none of [scoped(), scoped(""), scoped("ar__*", "ne", "other__*")]) expect(names(none)).toEqual([]);
  });
});
