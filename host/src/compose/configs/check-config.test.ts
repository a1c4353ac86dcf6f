import { describe, expect, it } from "vitest";
import { checkConfig } from "./check-config.ts";
import { artifactConfig, contentConfig, patternConfig } from "./configs-for-tests.ts";

const generatorOf = (): string => "template_fill";
const check = (type: "content" | "artifact", data: unknown, of: () => string | null = generatorOf) =>
  checkConfig(type, data, of);
const pointersOf = (rows: readonly { pointer: string }[]): string[] => rows.map(({ pointer }) => pointer);

describe("a content config", () => {
  it("needs no more than what is required", () => {
    expect(check("content", contentConfig())).toEqual({ errors: [], warnings: [] });
  });

  it("is told everything that is wrong with it at once", () => {
    const { errors } = check("content", {
      type: "artifact",
      id: "Bad Id",
      metadata: { description: "", version: "1", output_format: "pdf" },
      elements: [],
    });
    expect(pointersOf(errors).toSorted()).toEqual(
      [
        "/schemaRef",
        "/type",
        "/id",
        "/metadata/description",
        "/metadata/version",
        "/metadata/output_format",
        "/elements",
      ].toSorted(),
    );
    expect(errors.find(({ pointer }) => pointer === "/schemaRef")?.message).toBe("is required");
    expect(errors.find(({ pointer }) => pointer === "/type")?.message).toBe('must be "content"');
    expect(errors.find(({ pointer }) => pointer === "/metadata/output_format")?.message).toMatch(
      /^must be one of: mark/,
    );
  });

  it.each([null, [], "x", 3])("is an object, not %j", (data) => {
    expect(check("content", data).errors).toHaveLength(1);
  });

  it("that has a thousand faults is told some and how many more", () => {
    const { errors } = check("content", contentConfig({ elements: Array.from({ length: 1_000 }, () => ({})) }));
    expect(errors).toHaveLength(201);
    expect(errors.at(-1)?.message).toBe("and 800 more violations");
  });

  it("that is nested without end is refused", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 5_000; i++) deep = [deep];
    expect(check("content", contentConfig({ state: deep })).errors).toHaveLength(1);
  });

  it.each([
    [{ elemnts: [] }, "/elemnts", /"elements"/],
    [{ evolution: { stagee: "draft" } }, "/evolution/stagee", /"stage"/],
    [{ elements: [{ name: "a", "a/b~": 1 }] }, "/elements/0/a~1b~0", /changes nothing/],
  ])("is told of a key that is not known: %j", (over, pointer, message) => {
    expect(check("content", contentConfig(over)).warnings).toEqual([
      { code: "unknown_key", pointer, message: expect.stringMatching(message) },
    ]);
  });

  it("may hold what begins with x- and name its schema", () => {
    expect(check("content", contentConfig({ $schema: "x", "x-mine": 1 })).warnings).toEqual([]);
  });

  it.each([
    [
      { metadata: { description: "a", version: "1.0.0", generation_frequency: "scheduled" } },
      "/metadata/generation_frequency",
    ],
    [{ instructions: { global: "be kind" } }, "/instructions/global"],
    [{ state: {} }, "/state"],
    [
      { inputs: { sources: [{ id: "a", source_type: "requirement_id", source_locator: "R1" }] } },
      "/inputs/sources/0/source_type",
    ],
    [{ generation: { patterns: [{ id: "a", template: "" }, { id: "b" }] } }, "/generation/patterns/1"],
    [{ generation: { patterns: [{ id: "a", template: "", variables: [] }] } }, "/generation/patterns/0/variables"],
    [
      { generation: { patterns: [{ id: "a", template: "", generation_config: { undefined_behaviour: "keep" } }] } },
      "/generation/patterns/0/generation_config/undefined_behaviour",
    ],
    [{ elements: [{ name: "a" }, { name: "b", prompt_guidance: "x" }] }, "/elements/1/prompt_guidance"],
    [{ elements: [{ name: "a", human_feedback: "x" }] }, "/elements/0/human_feedback"],
    [
      {
        validation: {
          rules: [{ id: "r", check_type: "presence", target: "id", check_config: { min: 1 }, severity: "info" }],
        },
      },
      "/validation/rules/0/check_config/min",
    ],
  ])("is told of what nothing does: %j", (over, pointer) => {
    expect(check("content", contentConfig(over)).warnings).toEqual([
      { code: "unsupported_field", pointer, message: expect.any(String) },
    ]);
  });

  it("is told once of a field that many elements have, with the first and how many", () => {
    const elements = [{ name: "a", format: "text" }, { name: "b" }, { name: "c", format: "code" }];
    expect(check("content", contentConfig({ elements }), () => "jinja2").warnings).toEqual([
      {
        code: "unsupported_field",
        pointer: "/elements/0/format",
        message: "jinja2 does not read format. 2 elements have it, this one first.",
      },
    ]);
  });

  it("is not told of a field of an element that a variable or a rule names, or that a plug-in may read", () => {
    const elements = [
      { name: "a", format: "text", example_output: "x" },
      { name: "b", format: "code" },
    ];
    const variables = [{ name: "v", source: "elements.a.format" }];
    const rules = [
      { id: "r", check_type: "presence", target: "elements.1.format", check_config: {}, severity: "info" },
      { id: "s", check_type: "presence", target: "a", check_config: {}, severity: "info" },
    ];
    const config = patternConfig({ template: "{{v}}", variables }, { elements, validation: { rules } });
    const told = (data: object, type: string) => pointersOf(check("content", data, () => type).warnings);
    expect(told(config, "demonstration")).toEqual([]);
    expect(told({ ...config, validation: {} }, "demonstration")).toEqual([
      "/elements/1/format",
      "/elements/0/example_output",
    ]);
    expect(told({ ...config, validation: {}, instructions: { global: "x" } }, "mine")).toEqual([]);
  });

  it("of examples is told of what they have no use for", () => {
    const elements = [{ name: "a", example_output: "x" }];
    const sources = [{ id: "s", source_type: "inline_data", source_locator: "1" }];
    const variables = [{ name: "v", source: "elements.a.example_output" }];
    const config = patternConfig({ variables }, { elements, inputs: { sources } });
    expect(pointersOf(check("content", config, () => "demonstration").warnings)).toEqual([
      "/inputs/sources",
      "/generation/patterns/0/variables",
    ]);
  });

  it("is refused for a way to treat undefined variables that there is not", () => {
    const config = patternConfig({ template: "", generation_config: { undefined_behavior: "strict" } });
    expect(check("content", config).errors).toEqual([
      {
        pointer: "/generation/patterns/0/generation_config/undefined_behavior",
        message: "must be one of: error, keep, empty",
      },
    ]);
    expect(check("content", config, () => "mine").errors).toEqual([]);
  });

  it("of a plug-in may hold any settings", () => {
    const config = patternConfig({ type: "mine", generation_config: { anything: 1 } });
    expect(check("content", config, () => "mine").warnings).toEqual([]);
  });
});

describe("an artifact config", () => {
  it("needs no more than what is required", () => {
    expect(check("artifact", artifactConfig([{ id: "a" }]))).toEqual({ errors: [], warnings: [] });
  });

  it.each([
    ["no children", artifactConfig([]), "/content/children"],
    [
      "too many children",
      artifactConfig(Array.from({ length: 101 }, (_, i) => ({ id: `c${i}` }))),
      "/content/children",
    ],
    [
      "the custom strategy",
      artifactConfig([{ id: "a" }], { compositionStrategy: "custom" }),
      "/metadata/compositionStrategy",
    ],
    [
      "a binary format",
      artifactConfig([{ id: "a" }], { outputs: [{ file: "a.pdf", format: "pdf" }] }),
      "/metadata/outputs/0/format",
    ],
    ["an id that leaves its folder", artifactConfig([{ id: "../a" }]), "/content/children/0/id"],
    [
      "a version without its strategy",
      artifactConfig([{ id: "a", version: "x" }]),
      "/content/children/0/retrievalStrategy",
    ],
    [
      "a strategy without its version",
      artifactConfig([{ id: "a", retrievalStrategy: "version" }]),
      "/content/children/0/version",
    ],
    ["no template", artifactConfig([{ id: "a" }], { compositionStrategy: "template" }), "/metadata/compositionConfig"],
  ])("with %s is refused", (_what, config, pointer) => {
    expect(pointersOf(check("artifact", config).errors)).toEqual([pointer]);
  });

  it("is told of what nothing does", () => {
    const config = artifactConfig(
      [
        { id: "a", path: "elsewhere.json" },
        { id: "b", path: "configs/content/b/b-content.json" },
      ],
      {
        outputs: [{ file: "a", format: "text", encoding: "latin1", language_dialect: "x" }],
        compositionStrategy: "merge",
        compositionConfig: { separator: "", arrays: "unique" },
      },
    );
    expect(pointersOf(check("artifact", config).warnings)).toEqual([
      "/metadata/outputs/0/encoding",
      "/metadata/outputs/0/language_dialect",
      "/metadata/compositionConfig/separator",
      "/content/children/0/path",
    ]);
  });

  it("is told of dependencies that nothing reads, or not all of", () => {
    const dependencies = ["a", { id: "b", type: "content", required: false, "x-why": 1 }, 7, { id: "c", version: "1" }];
    const told = check("artifact", { ...artifactConfig([{ id: "a" }]), dependencies }).warnings;
    expect(pointersOf(told)).toEqual(["/dependencies/2", "/dependencies/3"]);
  });
});
