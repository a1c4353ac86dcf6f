/** What a bundle was given is its own; what is asked for and refused is recorded, without secrets; nothing is dropped unsaid. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const FIELD = { type: "string", title: "Key", description: "A key", sensitive: true };
const SETTINGS = { key: { ...FIELD, required: true }, port: { type: "number", title: "Port", description: "A port" } };

/** Two packages that want the name `mail`; what each is given stands in its file `.marks`, as its process id does. */
const begin = async (config: object = {}): Promise<{ place: Place; host: WholeHost }> => {
  const place = makePlace();
  for (const who of ["acme", "other"]) {
    place.bundle(who, { name: `@${who}/mail`, user_config: SETTINGS }, { GIVEN: "${user_config.key}" });
  }
  place.configure({ bundles: [], ...config });
  return { place, host: await place.start() };
};

const dataOf = (place: Place): string => join(place.workDir, "workspaces", "ws_default", "data", "mail");

const install = (host: WholeHost, entry: object): ReturnType<WholeHost["rest"]> =>
  host.rest("POST", "/v1/apps/install", entry);

const configure = (host: WholeHost, values: object, name = "mail"): ReturnType<WholeHost["rest"]> =>
  host.rest("POST", `/v1/apps/${name}/configure`, { values });

const evidenceText = (place: Place): string => JSON.stringify(place.evidence());

describe("what a bundle was given and keeps", () => {
  it("is not there for another that gets its name, nor for itself once it was removed", async () => {
    const { place, host } = await begin({ bundles: [{ path: "acme" }] });
    await host.until("mail", "refused");
    expect((await configure(host, { key: "SECRET-OF-ACME" })).status).toBe(200);
    await host.until("mail", "running");
    writeFileSync(join(dataOf(place), "letters"), "acme's");
    expect((await host.rest("DELETE", "/v1/apps/mail")).status).toBe(200);
    expect(await install(host, { path: "other" })).toMatchObject({
      status: 400,
      json: { error: "credentials_required" },
    });
    expect(readFileSync(join(dataOf(place), "letters"), "utf8")).toBe("acme's");
    const second = await install(host, { path: "other", userConfig: { key: "k" } });
    expect(second.status).toBe(201);
    expect(existsSync(join(dataOf(place), "letters"))).toBe(false);
    const aside = /it is in (\S+)$/.exec(second.json.warnings[0])?.[1] ?? "";
    expect(readFileSync(join(aside, "letters"), "utf8")).toBe("acme's");
    await host.rest("DELETE", "/v1/apps/mail");
    expect(await install(host, { path: "acme" })).toMatchObject({ json: { error: "credentials_required" } });
    expect((await install(host, { path: "acme", userConfig: { key: "k" } })).status).toBe(201);
    expect(readFileSync(join(dataOf(place), "letters"), "utf8")).toBe("acme's");
  });

  it("is not handed over by an edit of the file either", async () => {
    const { place, host } = await begin({ bundles: [{ path: "acme" }] });
    await host.until("mail", "refused");
    await configure(host, { key: "SECRET-OF-ACME" });
    await host.until("mail", "running");
    place.configure({ bundles: [{ path: "other" }] });
    await host.bundles.reload();
    await host.until("mail", "refused");
    expect(place.marks("other")).toEqual([]);
    place.configure({ bundles: [{ path: "acme" }] });
    await host.bundles.reload();
    await host.until("mail", "running");
  });
});

describe("values for a bundle", () => {
  it("that its manifest does not have, or not so, are not stored; those that it has are listed before it ever ran", async () => {
    const { host } = await begin({ bundles: [{ path: "acme" }] });
    await host.until("mail", "refused");
    expect((await host.rest("GET", "/v1/apps/mail")).json.userConfig).toMatchObject([{ key: "key" }, { key: "port" }]);
    const refused = await configure(host, { kye: "S3CRET", port: "many" });
    expect(refused).toMatchObject({ status: 400, json: { error: "bad_request" } });
    expect(refused.json.message).toContain('no setting "kye"; did you mean "key"?');
    expect(refused.json.message).toContain("port must be a number");
    expect((await configure(host, { key: "k", port: 25 })).json).toMatchObject({ stored: ["key", "port"] });
    await host.until("mail", "running");
    expect((await configure(host, { port: "many" })).status).toBe(400);
    expect(await host.rest("POST", "/v1/apps/mail/restart")).toMatchObject({ status: 200 });
    await host.until("mail", "running");
    expect((await configure(host, { port: null, gone: null })).json.stored).toEqual(["key"]);
  });

  it("do not start what somebody stopped or the file disables", async () => {
    const { place, host } = await begin({
      bundles: [
        { path: "acme", enabled: false },
        { path: "other", serverName: "second", userConfig: { key: "k" } },
      ],
    });
    await host.until("second", "running");
    await host.bundles.stop("second");
    for (const name of ["mail", "second"]) {
      expect((await configure(host, { key: "k" }, name)).json).toMatchObject({ stored: ["key"], status: "stopped" });
    }
    expect([place.marks("acme").length, place.marks("other").length]).toEqual([0, 1]);
  });
});

describe("evidence of an install", () => {
  it("holds no query and no user of an address, and not what a process wrote", async () => {
    const { place, host } = await begin({ allowInsecureRemotes: true });
    const url = "http://name:USER-SECRET@127.0.0.1:1/mcp?key=QUERY-SECRET";
    expect((await install(host, { url, serverName: "there" })).status).toBeGreaterThanOrEqual(400);
    expect((await install(host, { url: url.replace("name:USER-SECRET@", ""), serverName: "there" })).status).toBe(503);
    place.bundle("loud", {}, { STEERED_EXIT: "jane@example.com was here" });
    expect((await install(host, { path: "loud" })).status).toBe(503);
    const asked = place.evidence("bundle_install_asked").find(({ payload }) => payload["source"].url);
    expect(asked?.payload["source"]).toMatchObject({
      url: "http://127.0.0.1:1/mcp",
      urlHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    const installs = place.evidence().filter(({ event_type }) => event_type.includes("bundle_install"));
    expect(JSON.stringify(installs)).not.toMatch(/SECRET|jane@example/);
  });

  it("tells of what was refused before anything was done, once a minute", async () => {
    const { place, host } = await begin({ bundles: [{ path: "acme", protected: true }] });
    const agent = await host.keys.create({ name: "a", as: "agent:a", permissions: ["bundles:manage"] });
    const asAgent = { authorization: `Bearer ${agent.secret}` };
    for (let time = 0; time < 3; time++) {
      expect((await host.rest("DELETE", "/v1/apps/mail")).status).toBe(403);
      expect((await install(host, { path: "acme", nonsense: "S3CRET" })).status).toBe(400);
      expect((await configure(host, { kye: "S3CRET" })).status).toBe(400);
      expect((await host.rest("POST", "/v1/apps/install", { path: "acme" }, asAgent)).status).toBe(403);
    }
    await until(() => place.evidence("bundle_configure_refused").length > 0);
    expect(place.evidence("bundle_uninstall_refused")).toMatchObject([
      { payload: { bundle: "mail", by: "person:owner", refusal: { code: "protected" } } },
    ]);
    expect(
      place.evidence("bundle_install_refused").map(({ payload }) => [payload["by"], payload["refusal"].code]),
    ).toEqual([
      ["person:owner", "bad_request"],
      ["agent:a", "escalation_required"],
    ]);
    expect(evidenceText(place)).not.toContain("S3CRET");
  });
});

describe("an install", () => {
  it("takes no field that it would drop, and none that says not to start", async () => {
    const { place, host } = await begin({ allowInsecureRemotes: true });
    const remote = await install(host, { url: "http://127.0.0.1:1/mcp", serverName: "there", env: { A: "1" } });
    expect(remote).toMatchObject({ status: 400, json: { message: expect.stringContaining("/env: ") } });
    const disabled = await install(host, { path: "acme", enabled: false, userConfig: { key: "k" } });
    expect(disabled).toMatchObject({ status: 400, json: { remedy: expect.stringContaining("bailiwick bundle stop") } });
    expect(place.configured().bundles).toEqual([]);
  });

  it("of a server elsewhere that wants accounts ends with the link to connect one", async () => {
    const { place, host } = await begin({ allowInsecureRemotes: true });
    const server = createServer((_, response) => void response.writeHead(401).end());
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const transport = { auth: { type: "oauth" } };
    for (const isolation of ["principal", "shared"]) {
      const answer = await install(host, { url, serverName: isolation, isolation, transport });
      expect(answer).toMatchObject({ status: 201, json: { status: "refused" } });
      expect(answer.json.next).toContain(`/oauth/`);
    }
    expect(place.configured().bundles).toHaveLength(2);
  });

  it("of bash cannot be undone while it comes with the host", async () => {
    const { host } = await begin({ noDefaultBundles: false, bundles: [{ name: "@nimblebraininc/bash" }] });
    const refused = await host.rest("DELETE", "/v1/apps/bash");
    expect(refused).toMatchObject({ status: 403, json: { remedy: expect.stringContaining("noDefaultBundles") } });
    expect(host.stateOf("bash")).not.toBeNull();
  });
});
