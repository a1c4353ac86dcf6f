/** A bundle that requires what the host does not offer to it: never started and never connected to, on whichever way. */
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAlive, until } from "../bundles/bundles-for-tests.ts";
import { makePlace, requires, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const NONE = "com.example/none";
const RESOURCES = "ai.nimblebrain/host-resources";

const refusalFor = (bundle: string, missing: readonly string[], provided: readonly string[]): object => ({
  bundle,
  reason: "capability-unavailable",
  missing,
  provided,
  errors: [],
});

/** Exactly what is missing is named, and nothing that is there. */
const textFor = (bundle: string, missing: string, provided: string): RegExp =>
  new RegExp(
    `^${bundle} requires the host extension ${missing}, which .* Provided: ${provided}\\. Refusing to install\\.$`,
  );

const begin = async (config: object): Promise<{ place: Place; host: WholeHost }> => {
  const place = makePlace();
  place.bundle("fine");
  place.bundle("needy", requires(NONE, RESOURCES));
  place.configure(config);
  const host = await place.start();
  return { place, host };
};

/** Of what was refused, nothing; of what was there, everything. */
const expectUntouched = async (place: Place, host: WholeHost): Promise<void> => {
  expect(place.marks("needy")).toEqual([]);
  await host.until("fine", "running");
  expect(place.marks("fine")).toHaveLength(1);
};

const seen = async (host: WholeHost, name: string): Promise<Record<string, any> | undefined> =>
  (await host.rest("GET", "/v1/apps")).json.apps.find((app: { name: string }) => app.name === name);

describe("a bundle that requires what this host has not is never started", () => {
  it("on an install, by program and over REST: nothing is written, and the refusal is evidence", async () => {
    const { place, host } = await begin({ bundles: [{ path: "fine" }] });
    const before = place.configured();
    const details = refusalFor("needy", [NONE], [RESOURCES]);
    await expect(host.bundles.install({ path: "needy" })).rejects.toMatchObject({
      kind: "install_refused",
      message: expect.stringMatching(textFor("needy", NONE, RESOURCES)) as string,
      next: expect.stringContaining(`${NONE} with "required": false`) as string,
      details,
    });
    const answer = await host.rest("POST", "/v1/apps/install", { path: "needy" });
    expect(answer).toMatchObject({ status: 422, json: { error: "install_refused", data: { details } } });
    expect(place.configured()).toEqual(before);
    expect(await seen(host, "needy")).toBeUndefined();
    await expectUntouched(place, host);
    const refused = place.evidence("bundle_install_refused");
    expect(refused.map(({ payload }) => payload["refusal"].data)).toEqual([details, details]);
  });

  it("at boot and by an explicit start; it is listed with the reason, and the others run", async () => {
    const { place, host } = await begin({ bundles: [{ path: "needy" }, { path: "fine" }] });
    await host.until("needy", "refused");
    expect(await seen(host, "needy")).toMatchObject({
      status: "refused",
      health: "down",
      refusal: { code: "install_refused", data: refusalFor("needy", [NONE], [RESOURCES]) },
    });
    await until(() => place.evidence("bundle_refused").length > 0);
    const event = place.evidence("bundle_refused")[0]?.payload;
    expect(event?.["message"]).toMatch(textFor("needy", NONE, RESOURCES));
    await host.bundles.start("needy");
    await host.bundles.restart("needy");
    await host.rest("POST", "/v1/apps/needy/start");
    await host.until("needy", "refused");
    await expectUntouched(place, host);
    expect(await host.call("needy__echo", {})).toMatchObject({ outcome: "denied" });
  });

  it("after a crash, when its package changed on disk while it ran", async () => {
    const place = makePlace();
    place.bundle("turned");
    place.configure({ bundles: [{ path: "turned" }] });
    const host = await place.start();
    await host.until("turned", "running");
    place.bundle("turned", requires(NONE));
    expect(await host.call("turned__crash", {})).toMatchObject({ outcome: "indeterminate" });
    await host.until("turned", "refused");
    expect(place.marks("turned")).toHaveLength(1);
    expect((await seen(host, "turned"))?.["refusal"]).toMatchObject({
      data: refusalFor("turned", [NONE], [RESOURCES]),
    });
    // Once its package is right again, a person brings it back.
    place.bundle("turned");
    await host.bundles.start("turned");
    await host.until("turned", "running");
    expect(place.marks("turned")).toHaveLength(2);
  });

  it("by a reload that adds it, and one that leaves it as it is does not look into what runs", async () => {
    const { place, host } = await begin({ bundles: [{ path: "fine" }] });
    await host.until("fine", "running");
    place.bundle("fine", requires(NONE));
    place.configure({ bundles: [{ path: "fine" }, { path: "needy" }] });
    expect(await host.bundles.reload()).toMatchObject({ added: ["needy"], removed: [], changed: [] });
    await host.until("needy", "refused");
    await expectUntouched(place, host);
    expect(host.stateOf("fine")).toBe("running");
  });

  it("and is listed under the name that it would run with", async () => {
    const place = makePlace();
    place.bundle("folder", { name: "@acme/Needy_One", ...requires(NONE) });
    place.configure({ bundles: [{ path: "folder" }] });
    const host = await place.start();
    await host.until("needy-one", "refused");
    place.bundle("folder", { name: "@acme/Needy_One" });
    await host.bundles.start("needy-one");
    await host.until("needy-one", "running");
    place.configure({ bundles: [{ path: "folder" }], maxDirectTools: 7 });
    expect(await host.bundles.reload()).toMatchObject({ added: [], removed: [], changed: [] });
  });

  it("with a block that is not valid, which it is told with the paths", async () => {
    const place = makePlace();
    const block = { host_version: "1.1", host_capabilities: { [RESOURCES]: { requierd: true } } };
    place.bundle("needy", { _meta: { "ai.nimblebrain/host": block } });
    place.configure({ bundles: [] });
    const host = await place.start();
    const error = await host.bundles.install({ path: "needy" }).catch((no: unknown) => no);
    const path = "/_meta/ai.nimblebrain~1host/host_capabilities/ai.nimblebrain~1host-resources/requierd";
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^needy: .*Provided: ai\.nimblebrain\/host-resources\. Refusing to install\.$/,
      ) as string,
      details: { bundle: "needy", reason: "schema-invalid", missing: [], provided: [RESOURCES] },
    });
    expect((error as { details: { errors: string[] } }).details.errors[0]).toContain(path);
    expect(place.marks("needy")).toEqual([]);
  });
});

describe("an extension that this host has and does not offer", () => {
  const open = async (config: object): Promise<{ place: Place; host: WholeHost }> => {
    const place = makePlace();
    place.bundle("reader", requires(RESOURCES));
    place.configure(config);
    return { place, host: await place.start() };
  };

  it("to an entry that narrows what it is offered", async () => {
    const { place, host } = await open({ bundles: [{ path: "reader", hostExtensions: [] }] });
    await host.until("reader", "refused");
    expect(await seen(host, "reader")).toMatchObject({
      refusal: {
        message: expect.stringMatching(textFor("reader", RESOURCES, "\\(none\\)")) as string,
        data: refusalFor("reader", [RESOURCES], []),
      },
      next: expect.stringContaining('"hostExtensions"') as string,
    });
    expect(place.marks("reader")).toEqual([]);
    place.configure({ bundles: [{ path: "reader" }] });
    expect(await host.bundles.reload()).toMatchObject({ changed: ["reader"] });
    await host.until("reader", "running");
  });

  it("because it is switched off while the host runs, and on again", async () => {
    const { place, host } = await open({ bundles: [{ path: "reader" }] });
    await host.until("reader", "running");
    place.configure({ bundles: [{ path: "reader" }], hostResources: { enabled: false } });
    expect(await host.bundles.reload()).toMatchObject({ changed: ["reader"], needRestart: [] });
    await host.until("reader", "refused");
    expect(place.marks("reader")).toHaveLength(1);
    await until(() => place.marks("reader").every((pid) => !isAlive(pid)));
    await expect(host.bundles.start("reader")).resolves.toMatchObject({ name: "reader" });
    await host.until("reader", "refused");
    place.configure({ bundles: [{ path: "reader" }], hostResources: { enabled: true } });
    await host.bundles.reload();
    await host.until("reader", "running");
    expect(place.marks("reader")).toHaveLength(2);
  });
});

describe("a server elsewhere that is refused", () => {
  const countConnections = async (at = "127.0.0.1"): Promise<{ port: number; count: () => number }> => {
    let count = 0;
    const server = createServer((socket) => {
      count++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, at, resolve);
    });
    onTestFinished(() => void server.close());
    return { port: (server.address() as AddressInfo).port, count: () => count };
  };

  /** An MCP registry that knows one server, by its address alone, which requires the extension. */
  const openRegistry = async (url: string): Promise<string> => {
    const meta = requires(RESOURCES) as { _meta: object };
    const entry = {
      server: {
        name: "com.example/reader",
        description: "reads",
        version: "1.0.0",
        remotes: [{ type: "streamable-http", url }],
        _meta: { "io.modelcontextprotocol.registry/publisher-provided": meta._meta },
      },
    };
    const server = createHttpServer((_, res) =>
      res.setHeader("content-type", "application/json").end(JSON.stringify(entry)),
    );
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it("opens no connection where its address is not allowed, at boot, by a start or an install", async () => {
    const target = await countConnections();
    const place = makePlace();
    const url = `http://127.0.0.1:${target.port}/mcp`;
    place.configure({ bundles: [{ url, serverName: "there" }] });
    const host = await place.start();
    await host.until("there", "refused");
    await host.bundles.start("there");
    await host.until("there", "refused");
    const before = place.configured();
    const answer = await host.rest("POST", "/v1/apps/install", { url, serverName: "other" });
    expect(answer).toMatchObject({ status: 422, json: { error: "install_refused" } });
    expect(place.configured()).toEqual(before);
    expect(host.stateOf("other")).toBeNull();
    expect(target.count()).toBe(0);
  });

  /** Of this machine, and not loopback: somewhere else as far as the host can tell. */
  const address = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === "IPv4" && !each.internal)?.address;

  it.skipIf(address === undefined)("opens none where it requires what a server elsewhere is not offered", async () => {
    const target = await countConnections("0.0.0.0");
    const place = makePlace();
    const registry = await openRegistry(`https://${address}:${target.port}/mcp`);
    const registries = [{ type: "mcp", url: registry }];
    place.configure({ bundles: [], allowInsecureRemotes: true, allowPrivateRemotes: [`${address}/32`], registries });
    const host = await place.start();
    const before = place.configured();
    const refused = await host.rest("POST", "/v1/apps/install", { name: "com.example/reader" });
    expect(refused).toMatchObject({
      status: 422,
      json: {
        error: "install_refused",
        message: `com.example/reader: it requires ${RESOURCES}. Provided: (none). Refusing to install.`,
        data: { details: refusalFor("com.example/reader", [RESOURCES], []) },
      },
    });
    expect(target.count()).toBe(0);
    expect(place.evidence("bundle_install_refused")).toHaveLength(1);
    // One line of a person's grants it; that it then speaks no TLS is another matter.
    const order = { name: "com.example/reader", hostExtensions: [RESOURCES] };
    expect(await host.rest("POST", "/v1/apps/install", order)).toMatchObject({ status: 503 });
    expect(target.count()).toBeGreaterThan(0);
    expect(place.configured()).toEqual(before);
    expect(host.stateOf("reader")).toBeNull();
  });
});
