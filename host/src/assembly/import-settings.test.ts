import { parseConfig } from "@bailiwick/contract";
import { describe, expect, it } from "vitest";
import { nimblePlan, placeWith } from "./import-plan-for-tests.ts";

describe("a configuration of NimbleBrain", () => {
  const config = {
    models: { default: "m-1" },
    http: { port: 1 },
    identity: "We.",
    skillDirs: ["./skills", "~/more"],
    providers: { own: { type: "openai-compatible", baseURL: "http://m/v1", apiKey: "sk-1" } },
    bundles: [
      { name: "@nimblebraininc/bash" },
      { path: "./mine", protected: true, userConfig: { api_key: "sk-2", size: 3 } },
      {
        url: "https://a.example/mcp",
        serverName: "a",
        transport: { auth: { type: "header", name: "X-K", value: "v" } },
      },
      { name: "x", path: "y" },
      7,
    ],
  };

  it("brings its bundles with whole paths and without secrets, and the settings of the agent", () => {
    const plan = nimblePlan(config);
    expect(plan.bundles).toEqual([
      { path: "/nb/mine", userConfig: { api_key: "${env:MINE_API_KEY}", size: 3 } },
      {
        url: "https://a.example/mcp",
        serverName: "a",
        transport: { auth: { type: "header", name: "X-K", value: "${env:A_VALUE}" } },
      },
    ]);
    expect(plan.settings).toEqual({
      defaultModel: "m-1",
      identity: "We.",
      skillDirs: ["/nb/skills", "/home/ann/more"],
      providers: { own: { type: "openai-compatible", baseURL: "http://m/v1", apiKey: "${env:OWN_API_KEY}" } },
    });
    const skipped = plan.steps.filter(({ action }) => action === "skip").map(({ from }) => from);
    expect(skipped).toEqual(["x", "an entry without a source", "http"]);
    const { errors } = parseConfig(JSON.stringify({ ...plan.settings, bundles: plan.bundles }), {
      dialect: "bailiwick",
    });
    expect(errors).toEqual([]);
  });

  it("is there a second time, and never replaces a setting that is made here", () => {
    const first = nimblePlan(config);
    const value = { ...first.settings, bundles: first.bundles };
    const again = nimblePlan(config, placeWith(value));
    expect(again.steps.filter(({ action }) => action === "add")).toEqual([]);
    expect(again.variables).toEqual([]);
    const other = nimblePlan({ identity: "They." }, placeWith(value));
    expect(other).toMatchObject({ settings: {}, steps: [{ action: "skip", from: "identity" }] });
  });

  it("gives another workspace only what a workspace has", () => {
    const plan = nimblePlan({ defaultModel: "m", identity: "We." }, placeWith({}, { workspace: "ws_sales" }));
    expect(plan.settings).toEqual({ identity: "We." });
  });
});
