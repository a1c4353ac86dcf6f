import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DRAFT, openGeneratorWire, said, TRIAL, failed, type GeneratorWire } from "./generators-for-tests.ts";

let wire: GeneratorWire;
beforeAll(async () => {
  wire = await openGeneratorWire();
});
beforeEach(() => wire.reset());
afterAll(() => wire.close());

describe("generator test", () => {
  it("drafts a sample, tries it without storing, and writes the text and nothing else to standard output", async () => {
    const { code, out, err } = await wire.run(["generator", "test", "template_fill"]);
    expect([code, out]).toEqual([0, "Dear Ada,\u001B[31m\r\nhello\n"]);
    expect(err).toBe("Made by template_fill (explicit_type): 18 characters. The text is not stored.\n");
    expect(wire.called()).toEqual(["compose__draft_config", "compose__test_config"]);
    expect(wire.argsOf("draft_config")).toMatchObject({
      config_type: "content",
      config_data: {
        type: "content",
        id: "sample-template-fill",
        generation: { patterns: [{ type: "template_fill" }] },
      },
      description: "bailiwick generator test template_fill",
    });
    expect(wire.argsOf("test_config")).toEqual({ draft_id: DRAFT.draft_id, dry_run: true });
  });

  it("makes a sample for a plug-in from what it requires, and says what it cannot make", async () => {
    const { code, err } = await wire.run(["generator", "test", "changelog"]);
    expect(code).toBe(0);
    expect(wire.argsOf("draft_config").config_data).toMatchObject({
      elements: [{ name: "sample" }],
      generation: { patterns: [{ id: "sample", type: "changelog", template: "A sample of template." }] },
    });
    expect(err).toContain(String.raw`The sample has nothing for context.entries\u{1b}[2J.`);
    expect(err).toContain("→ Give a config that has it: bailiwick generator test changelog --content-config <file>");
  });

  it.each([
    [
      "another type",
      { patterns: [{ id: "a", type: "x", template: "t" }, { id: "b" }] },
      [{ id: "a", template: "t" }, 1],
    ],
    ["no type", { patterns: [{ id: "a" }], more: 1 }, [{ id: "a" }]],
    ["no pattern", { patterns: [] }, [{ id: "test" }]],
    ["no patterns", {}, [{ id: "test" }]],
    ["nothing of it", undefined, [{ id: "test" }]],
  ])("gives the first pattern of the file this type where it has %s", async (_, generation, expected) => {
    const file = wire.put("config.json", { type: "content", id: "letter", ...(generation && { generation }) });
    await wire.run(["generator", "test", "template_fill", "--content-config", file]);
    const config = wire.argsOf("draft_config").config_data;
    expect(config).toMatchObject({
      type: "content",
      id: "letter",
      generation: { ...generation, patterns: expect.any(Array) },
    });
    expect(config.generation.patterns).toHaveLength(expected.length);
    expect(config.generation.patterns[0]).toEqual({ ...(expected[0] as object), type: "template_fill" });
  });

  it.each([{ generation: 7 }, { generation: { patterns: "x" } }, { generation: { patterns: [null] } }])(
    "leaves %j to the host to judge",
    async (config) => {
      wire.put("config.json", config);
      await wire.run(["generator", "test", "template_fill", "--content-config", "config.json"]);
      expect(wire.argsOf("draft_config").config_data).toEqual(config);
    },
  );

  it("takes the context as JSON and from a file, as it is", async () => {
    const context = { name: "Grace", list: [1, { a: null }] };
    wire.put("context.json", context);
    for (const word of [JSON.stringify(context), "@context.json"]) {
      wire.asked.length = 0;
      await wire.run(["generator", "test", "template_fill", "--context", word]);
      expect(wire.argsOf("test_config")).toEqual({ draft_id: DRAFT.draft_id, context, dry_run: true });
    }
  });

  it("writes JSON with the draft and all that the trial said", async () => {
    const { out, err } = await wire.run(["generator", "test", "template_fill", "--json"]);
    expect(JSON.parse(out)).toEqual({ ...TRIAL, draft_id: DRAFT.draft_id, warnings: [] });
    expect(err).toBe("");
  });

  it("says beside the text what is odd about the config and the text, each once", async () => {
    const warnings = [{ code: "unknown_key", pointer: "/metdata", message: "is not known\u001B[2J" }];
    const validation_issues = [
      { severity: "warning", message: "is not known\u001B[2J", location: "/metdata" },
      { severity: "warning", code: "content_very_short", message: "is short", location: null },
    ];
    wire.tools.set("compose__draft_config", said({ ...DRAFT, warnings }));
    wire.tools.set("compose__test_config", said({ ...TRIAL, validation_issues }));
    const { err } = await wire.run(["generator", "test", "template_fill"]);
    expect(err).toMatch(/^\/metdata: is not known\\u\{1b\}\[2J\nis short\nMade by /);
  });

  it("says which calls give the whole of a text that was cut", async () => {
    const preview_content = `${"x".repeat(10_000)}\n\n... (truncated, total 12345 chars)`;
    wire.tools.set("compose__test_config", said({ ...TRIAL, preview_content, content_length: 12_345 }));
    const file = wire.put("config.json", { id: "letter" });
    const { out, err } = await wire.run(["generator", "test", "template_fill", "--content-config", file]);
    expect(out).toBe(`${preview_content}\n`);
    expect(err).toContain(
      `save_config '{"draft_id":"${DRAFT.draft_id}","config_id":"letter"}'\n→ And have it made: bailiwick call compose__generate_content '{"content_config_id":"letter"}'`,
    );
  });

  it("is made in the workspace that is named", async () => {
    const { code, err } = await wire.run(["generator", "test", "template_fill", "--workspace", "nowhere"]);
    expect([code, err]).toEqual([2, expect.stringContaining("is no id of a workspace")]);
    expect((await wire.run(["generator", "test", "template_fill", "--workspace", "ws_lab"])).code).toBe(0);
  });
});

describe("generator test that makes no text", () => {
  const test = (...more: string[]) => wire.run(["generator", "test", "template_fill", ...more]);

  it.each([
    [
      "templat_fill",
      'There is no generator "templat_fill". Did you mean "template_fill"?\n→ List them: bailiwick generator list',
    ],
    ["nothing", 'There is no generator "nothing".\n→ List them'],
    [
      "bad",
      String.raw`The plug-in bad.generator.mjs was rejected (load_failed): It threw \u001b[2J: no.` +
        "\n→ Correct the file",
    ],
  ])("since there is no %s, and calls nothing", async (type, expected) => {
    const { code, out, err } = await wire.run(["generator", "test", type]);
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain(expected);
    expect(wire.called()).toEqual([]);
  });

  it("since the config is not valid, with all that is wrong with it", async () => {
    const violations = [
      { pointer: "/elements", message: "must have 1 item\u001B[2J" },
      { pointer: "", message: "odd" },
    ];
    wire.tools.set(
      "compose__draft_config",
      failed("validation_error", "The config is not valid.", { violations, next: "Call it again." }),
    );
    expect(await test()).toEqual({
      code: 1,
      out: "",
      err: [
        "The config is not valid. (validation_error)",
        String.raw`  /elements: must have 1 item\u{1b}[2J`,
        "  odd",
        "→ Correct the config or the context, and run the same command again.",
        "",
      ].join("\n"),
    });
    expect(wire.called()).toEqual(["compose__draft_config"]);
  });

  it.each([
    ["Set API_KEY in the environment of the host.", "Set API_KEY in the environment of the host."],
    [`save_config {"config_id":"it's"}`, String.raw`bailiwick call compose__save_config '{"config_id":"it'\''s"}'`],
    ["list_generators {}", "bailiwick call compose__list_generators '{}'"],
  ])("since the generator fails, with the next step: %s", async (next, typed) => {
    wire.tools.set(
      "compose__test_config",
      failed("test_execution_failed", "It failed.", { next, context_variables: ["a"] }),
    );
    expect(await test()).toMatchObject({ code: 1, out: "", err: `It failed. (test_execution_failed)\n→ ${typed}\n` });
  });

  it.each([
    [403, { error: "policy_denied", message: "No.", remedy: "Ask." }, 3, "No.\n→ Ask.\n"],
    [404, { error: "unknown_tool", message: "There is no such tool.", remedy: "List." }, 3, "→ List.\n"],
    [502, { error: "indeterminate", message: "Lost.", remedy: "Look." }, 5, "Lost.\n→ Look.\n"],
    [500, { nothing: true }, 3, "The running host answered with status 500."],
  ])("since a call was answered with %i, with the exit code for it", async (status, body, code, expected) => {
    wire.tools.set("compose__test_config", [status, body]);
    const ran = await test();
    expect([ran.code, ran.out]).toEqual([code, ""]);
    expect(ran.err).toContain(expected);
  });

  it("since it waits for a person, with the call that goes on from there", async () => {
    const details = { approval_id: "apr_1", digest: "sha256:0" };
    const body = { error: "approval_pending", message: "It waits.", remedy: "Wait.", data: { details } };
    wire.tools.set("compose__test_config", [202, body]);
    const { code, err } = await test("--context", `{"name":"O'Hara"}`);
    expect(code).toBe(4);
    expect(err.split("\n").slice(-3)).toEqual([
      "→ Who may decide sees the call and decides: bailiwick approve apr_1",
      String.raw`→ Then make the same call: bailiwick call compose__test_config '{"draft_id":"${DRAFT.draft_id}","context":{"name":"O'\''Hara"},"dry_run":true}'`,
      "",
    ]);
  });

  it.each([{}, { success: true }, { success: false }, { success: true, preview_content: 7 }])(
    "since %j is no answer of the trial",
    async (answer) => {
      wire.tools.set("compose__test_config", said(answer));
      const { code, out, err } = await test();
      expect([code, out]).toEqual([1, ""]);
      expect(err).toBe(
        "compose__test_config did not answer as it should: as JSON\n→ See what is wrong with the host: bailiwick doctor\n",
      );
    },
  );

  it("writes what the host said as JSON", async () => {
    wire.tools.set("compose__test_config", failed("missing_credential", "Missing credential: API_KEY"));
    const { code, out } = await test("--json");
    expect(code).toBe(1);
    expect(JSON.parse(out).structuredContent.error.code).toBe("missing_credential");
  });

  it.each([
    [["--content-config", "missing.json"], "missing.json cannot be read: ENOENT"],
    [["--content-config", "half.json"], "half.json: not JSON at line 1, column 2"],
    [["--content-config", "list.json"], "list.json: expected one JSON object, found a list."],
    [["--context", "[]"], "expected one JSON object, found a list."],
    [["--context", "@missing.json"], "missing.json cannot be read: ENOENT"],
  ])("since %j cannot be used, and asks the host nothing", async (flags, expected) => {
    wire.put("half.json", "{");
    wire.put("list.json", "[]");
    const { code, out, err } = await test(...flags);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(expected);
    expect(wire.asked).toEqual([]);
  });
});
