import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Capability } from "../../kernel/capability.ts";
import { capabilityId } from "../../kernel/capability-id.ts";
import type { CapabilityRules } from "../../kernel/capability-rules.ts";
import { NO_ENVELOPE } from "../../kernel/envelope.ts";
import { isAllowedActor, plainId } from "../../kernel/is-allowed-actor.ts";
import type { Principal } from "../../kernel/principal.ts";
import {
  entry,
  openBench,
  OWNER,
  provider,
  refusalOf,
  resource,
  scoped,
  template,
  type Bench,
} from "./sheets-for-tests.ts";
import { versionSatisfies } from "./version-satisfies.ts";

const vector = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../test/vectors/chp/${name}.json`, import.meta.url), "utf8"));

describe("CHP's decision tables", () => {
  const { cases: versions } = vector("version-negotiation") as {
    cases: { satisfies: boolean; spec: string; version: string }[];
  };
  it.each(versions)("version $version for $spec: $satisfies", ({ version, spec, satisfies }) => {
    expect(versionSatisfies(version, spec)).toBe(satisfies);
  });

  interface ActorCase {
    readonly note: string;
    readonly allowed_actors: string[];
    readonly subject: { readonly id: string; readonly verified?: boolean };
    readonly allowed: boolean;
  }
  const { cases: actors } = vector("actor") as { cases: ActorCase[] };
  it.each(actors.map((each, index) => Object.assign(each, { index })))(
    "actor: $note",
    ({ allowed_actors, subject, allowed, index }) => {
      const found = isAllowedActor(allowed_actors, {
        id: `service:${subject.id}`,
        subject: { id: subject.id, type: "api_key" },
      });
      // An actor that a request merely asserts is believed by CHP in the third case, and here by nobody.
      expect(found).toBe(index === 2 ? false : allowed);
    },
  );

  const { cases: visible } = vector("authorized-discovery") as {
    cases: { note: string; allowed_actors: string[]; caller: string | null; visible: boolean }[];
  };
  it.each(visible.filter(({ caller }) => caller !== null))(
    "discovery: $note",
    ({ allowed_actors, caller, visible: seen }) => {
      const subject = { id: caller ?? "", type: "api_key" };
      expect(isAllowedActor(allowed_actors, { id: `service:${caller}`, subject })).toBe(seen);
    },
  );
});

interface Said {
  readonly id?: string;
  readonly version?: string;
  readonly allowedActors?: readonly string[];
  readonly sunset?: number;
}

let said: Record<string, Said>;
let generation: number;

const RULES: CapabilityRules = {
  capabilityOf: (_, { flatName }) => {
    const base = { id: capabilityId(flatName), version: "1.2.3", allowedActors: [], sunset: null };
    return { ...base, ...said[flatName] } as unknown as Capability;
  },
  generation: () => generation,
  isOverlaid: (_, flatName) => said[flatName] !== undefined,
  flatNameOf: (_, id) => Object.keys(said).find((name) => said[name]?.id === id) ?? null,
  actorClass: (_, principal) =>
    Object.values(said)
      .map(({ allowedActors = [] }) => (isAllowedActor(allowedActors, principal) ? "1" : "0"))
      .join(""),
};

const who = (id: string): Principal => ({ ...OWNER, id });

let bench: Bench;
beforeEach(() => {
  said = {};
  generation = 1;
  bench = openBench({ capabilities: RULES });
  bench.registry.add(provider("mail", { tools: ['{"name":"send"}', '{"name":"re ad"}', '{"name":"drop"}'] }));
});

describe("at the CHP door a tool is named by its outward id", () => {
  const byId = (name: string, principal?: Principal) => bench.find({ name, door: "chp" }, principal);

  it("which is its flat name, escaped, or the alias of an overlay, and nothing else", () => {
    said = { mail__send: { id: "post" } };
    expect(byId("post").flatName).toBe("mail__send");
    expect(byId("mail__drop").flatName).toBe("mail__drop");
    expect(byId("mail__re:20ad").flatName).toBe("mail__re ad");
    for (const name of ["mail__send", "mail__re ad", "send", "", "   "]) {
      expect(refusalOf(() => byId(name)).kind).toBe("unknown_tool");
    }
  });

  it("and its suggestions are such ids", () => {
    said = { mail__send: { id: "post.send" } };
    expect(refusalOf(() => byId("other__send")).details["suggestions"]).toContain("post.send");
  });

  it("and an alias is no name at the other doors", () => {
    said = { mail__send: { id: "post" } };
    expect(refusalOf(() => bench.find({ name: "post" })).kind).toBe("unknown_tool");
    expect(bench.find({ name: "mail__send" }).capability.id).toBe("post");
  });

  it("and a key's scope may name the id", () => {
    said = { mail__send: { id: "post" } };
    expect(byId("post", scoped("post")).flatName).toBe("mail__send");
    expect(refusalOf(() => byId("mail__drop", scoped("post"))).kind).toBe("not_visible");
    expect(bench.listed(scoped("post"))).toEqual(["mail__send"]);
  });
});

describe("a version that is asked for", () => {
  const asking = (version: string) => bench.find({ name: "mail__send", envelope: { ...NO_ENVELOPE, version } });

  it.each(["1.2.3", "^1.0.0", "~1.2.0", ">=1.0 <2", "1.x", "*"])("is there: %s", (version) => {
    expect(asking(version).name).toBe("send");
  });

  it.each(["1.2.4", "^2.0.0", "nonsense", `>=1 ${" ".repeat(300)}<2`])("is not there: %j", (version) => {
    const no = refusalOf(() => asking(version));
    expect(no.kind).toBe("version_mismatch");
    expect(no.details).toEqual({ requested: version.slice(0, 256), available: ["1.2.3"] });
  });
});

describe("a tool that is withdrawn on a day", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is another one in the list from that moment, with nothing having happened", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000 });
    said = { mail__send: { sunset: 2_000 } };
    const { token } = bench.sheets.of(OWNER, null)!;
    vi.setSystemTime(1_999);
    expect(bench.sheets.of(OWNER, null)!.token).toBe(token);
    const before = bench.sheets.pages()[0];
    vi.setSystemTime(2_000);
    expect(bench.sheets.pages()[0]).not.toBe(before);
  });
});

describe("a tool with allowed actors", () => {
  beforeEach(() => {
    said = { mail__send: { allowedActors: ["agent://planner", "runner"].map(plainId) } };
  });

  it("is listed to and called by them alone", () => {
    const runner = { ...who("service:runner"), subject: { id: "runner", type: "api_key" } };
    for (const principal of [who("agent:planner"), runner]) {
      expect(bench.listed(principal)).toContain("mail__send");
      expect(bench.find({ name: "mail__send" }, principal).name).toBe("send");
    }
    const acting = { ...who("agent:mcp-client"), onBehalfOf: "agent:planner" };
    for (const principal of [OWNER, who("person:planner"), who("person:runner"), acting]) {
      expect(bench.listed(principal)).toEqual(["mail__drop", "mail__re ad"]);
      const no = refusalOf(() => bench.find({ name: "mail__send" }, principal));
      expect(no.kind).toBe("not_visible");
      expect(JSON.stringify([no.message, no.next, no.details])).not.toContain('planner"');
      expect(no.details).toEqual({});
    }
  });

  it("is not suggested to others, counted for them, or shown in rows", () => {
    expect(refusalOf(() => bench.find({ name: "mail__sendd" })).details["suggestions"]).not.toContain("mail__send");
    expect(
      bench.sheets
        .of(OWNER, null)!
        .rows()
        .map(({ name }) => name),
    ).not.toContain("mail__send");
    for (const scopes of [null, ["mail__*"]]) expect(bench.sheets.providers({ ...OWNER, scopes })[0]?.tools).toBe(2);
  });

  it("has another surface for those who see it", () => {
    const token = (principal: Principal) => bench.sheets.of(principal, null)!.token;
    expect(token(who("agent:planner"))).not.toBe(token(OWNER));
    expect(token(who("person:a"))).toBe(token(who("person:b")));
  });

  it("is listed again as soon as the policy says otherwise", () => {
    expect(bench.listed()).not.toContain("mail__send");
    said = {};
    generation++;
    expect(bench.listed()).toContain("mail__send");
  });

  it("is not visible to others at its provider's own endpoint either", () => {
    expect(refusalOf(() => bench.find({ name: "send", provider: "mail" })).kind).toBe("not_visible");
    expect(bench.find({ name: "send", provider: "mail" }, who("agent:planner")).flatName).toBe("mail__send");
    expect(bench.listed(OWNER, "mail")).toEqual(["drop", "re ad"]);
  });

  it("that is asked for in another version is still not there for others", () => {
    const envelope = { ...NO_ENVELOPE, version: "9.9.9" };
    expect(refusalOf(() => bench.find({ name: "mail__send", envelope })).kind).toBe("not_visible");
  });
});

describe("prompts and resources with allowed actors", () => {
  const watched: string[] = [];
  beforeEach(() => {
    const prompts = ["greet", "secret"].map((name) => Object.assign(entry(`{"name":"${name}"}`), { name }));
    const shelf = { prompts, resources: [resource("doc://a")], templates: [template("doc://{x}")] };
    const watch = (uri: string) => {
      watched.push(uri);
      return () => {};
    };
    bench.registry.add(provider("docs", { ...shelf, watch }));
    said = { docs__secret: { allowedActors: ["agent:a"] }, "docs:resources": { allowedActors: ["agent:a"] } };
  });
  const lists = (id: string): unknown => {
    const sheet = bench.sheets.of(who(id), null)!;
    const prompts = (JSON.parse(sheet.prompts()) as { name: string }[]).map(({ name }) => name);
    return [prompts, ...[sheet.resources(), sheet.templates()].map((list) => (JSON.parse(list) as unknown[]).length)];
  };

  it("are listed to those who may use them, and to nobody who would be refused", () => {
    expect(lists("agent:a")).toEqual([["docs__greet", "docs__secret"], 1, 1]);
    expect(lists("agent:b")).toEqual([["docs__greet"], 0, 0]);
    for (const call of [
      { operation: "prompt", name: "docs__secret" },
      { operation: "read", name: "doc://a" },
    ] as const) {
      expect(bench.find(call, who("agent:a")).provider.name).toBe("docs");
      expect(refusalOf(() => bench.find(call, who("agent:b"))).kind).toBe("not_visible");
    }
  });

  it("are watched by them alone", () => {
    const order = (id: string) => ({ principal: who(id), provider: null, uri: "doc://a" });
    expect(bench.sheets.watch(order("agent:b"), () => {})).toBeNull();
    expect(watched).toEqual([]);
    expect(bench.sheets.watch(order("agent:a"), () => {})).not.toBeNull();
  });
});
