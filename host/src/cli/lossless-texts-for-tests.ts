/**
 * What an upstream may say that a typed copy would lose or spell anew: unknown members, numbers that are no doubles, escapes,
 * blanks, the order of keys, keys that JavaScript treats specially. Blanks stand also where text is inserted.
 */
const META = String.raw`{ "com.example/k" :1.0,"":{"__proto__":[ ]} }`;
const ICONS = String.raw`[{"src":"data:image/png;base64,AA==","sizes":["16x16"],"theme":"dark","x":null}]`;

const ODD_SCHEMA =
  String.raw`{"type":"object","properties":{"__proto__":{"x-odd":1e2},"":{"description":"\u00e9 é"}},"$defs":{"big":` +
  String.raw`{"const":12345678901234567890}},"x-keyword":[1.50,-0,{}, null]}`;

const ODD_OUTPUT =
  String.raw`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"x-unit":"m"}},` +
  String.raw`"unevaluatedProperties":true,"dependentSchemas":{ },"x":0.10}`;

/** Sorted by name, as the list is. The second spells the key of its name with an escape; the third's name is too long. */
export const TOOLS: readonly { readonly name: string; readonly json: string }[] = [
  { name: "error", json: `{"name":"error","inputSchema":{"type":"object"}}` },
  {
    name: "odd",
    json:
      String.raw`{ "x-first" : 1.0,"title":"Caf\u00e9 é","n\u0061me":"odd", "description":"\ttab \/ \u2028","inputSchema":` +
      `${ODD_SCHEMA},"outputSchema":${ODD_OUTPUT},"annotations":{"readOnlyHint":true,"x-trust":0.10,"title":"T"},` +
      `"icons":${ICONS},"execution":{"taskSupport":"optional","x":1E+2},"_meta":${META},"unknown":{"deep":[[[{ }]]]},"z":null }`,
  },
  {
    name: `over${"-long".repeat(14)}`,
    json: `{"_meta":${META} ,"name":"over${"-long".repeat(14)}","inputSchema":{"type":"object"}}`,
  },
  ...["raw", "say"].map((name) => ({ name, json: `{"inputSchema":{"type":"object"},"name" : "${name}"}` })),
];

/** Names of tools to what they answer. */
export const RESULTS: Readonly<Record<string, string>> = {
  odd:
    String.raw`{ "content":[{"type":"text","text":"caf\u00e9 é ☃ \ud800","annotations":{"priority":0.50},"_meta":${META}},` +
    String.raw`{"type":"hologram","depth":1.0,"layers":[1e2,-0,12345678901234567890]},{"type":"resource_link","uri":"x:y",` +
    `"name":"n","size":1.0,"icons":${ICONS}}], "isError" : false,"structuredContent":{"__proto__":1,"":2,"b":1,"a":1e400},` +
    String.raw`"_meta":${META},"unknown":[ { } , [ ] ],"tiny":1e-400,"same":1,"same":2 }`,
  failing: `{"isError":true,"content":[ ],"code":1.0}`,
  empty: `{}`,
  blank: `{ }`,
  complete: `{"content":[],"resultType" : "complete","x":1.0}`,
};

/** A result that is no object, and what describes it. */
export const LIST_SCHEMA = String.raw`{ "type":"array","items":{"$ref":"#/$defs/n"},"$defs":{"n":{"x":1.0}}}`;
export const LIST = "[1.0, -0 ,12345678901234567890]";

export const ERROR = String.raw`{"message":"caf\u00e9", "code":-31999,"data":{"n":1.0,"__proto__":{"x":1e2}},"extra":[ ]}`;

export const NOTICES = {
  progress: String.raw`"progress":1.0,"total":1e1,"message" : "\u00e9","x":{"__proto__":[ ]},"_meta":${META}`,
  log: String.raw`"level":"warning","logger" : "l","data":{"n":1.0,"big":12345678901234567890},"x":[ ]`,
};

export const PROMPT = `{"arguments":[{"name":"a","x":1.0}],"name":"odd","icons":${ICONS},"_meta":${META}, "x" : 0.10}`;
export const PROMPT_RESULT = String.raw`{"messages":[{"role":"user","content":{"type":"odd","n":-0.0},"x":"\u00e9"}] ,"x":1.0}`;
export const COMPLETION = String.raw`{ "completion":{"values":["\u00e9"],"total":1.0,"x":null},"y":[ ]}`;

/** Entries and contents whose URIs are told apart by their scheme. */
export const resourcesOf = (scheme: string) => ({
  plain: `{ "uri":"${scheme}://plain","name":"plain","size":1.0,"annotations":{"priority":0.50,"x":1}}`,
  tagged: `{"uri":"${scheme}://tagged","_meta":${META},"name":"tagged", "x":[ ] }`,
  template: `{"name":"t","uriTemplate":"${scheme}://t/{x}","x":1e0}`,
  contents: String.raw`{ "contents":[{"uri":"${scheme}://plain","text":"\u00e9","x":1.0}] , "x":12345678901234567890,"_meta":${META} }`,
  hinted: `{"ttlMs":120000.0,"contents":[],"cacheScope":"public","x":1.0}`,
  gone: `{"message":"gone","code": -32002,"data":{"uri":"${scheme}://gone","n":1.0}, "x":1e2}`,
  absent: `{"message":"absent","code":-32602, "data":{"uri":"${scheme}://absent","n":1.0}, "x":1e2}`,
});

/** What the fixture is given to say. */
export const answersOf = (scheme: string): object => {
  const texts = resourcesOf(scheme);
  const list = (member: string, entries: readonly string[]): object => ({
    "": { result: `{ "x":1.0,"${member}" : [ ${entries.join(" , ")} ]}` },
  });
  const calls = Object.entries(RESULTS).map(([name, result]) => [name, { result }]);
  const progress = `{"jsonrpc":"2.0","params":{ "progressToken":TOKEN,${NOTICES.progress}},"method":"notifications/progress"}`;
  const log = `{"jsonrpc":"2.0","method":"notifications/message","params":{${NOTICES.log} }}`;
  const names = [...Object.keys(RESULTS).filter((name) => name !== "odd"), "noisy"];
  const more = names.map((name) => `{"name":"${name}","inputSchema":{"type":"object"}}`);
  more.push(`{"name":"list","outputSchema" : ${LIST_SCHEMA},"inputSchema":{"type":"object"}}`);
  return {
    "tools/list": list("tools", [...TOOLS.map(({ json }) => json), ...more]),
    "prompts/list": list("prompts", [PROMPT, `{"name":"raw"}`]),
    "resources/list": list("resources", [texts.plain, texts.tagged]),
    "resources/templates/list": list("resourceTemplates", [texts.template]),
    "tools/call": {
      ...Object.fromEntries(calls),
      error: { error: ERROR },
      list: { result: `{"structuredContent" : ${LIST} ,"content":[ ]}` },
      noisy: { notices: [progress, log], result: RESULTS["odd"] },
    },
    "prompts/get": { odd: { result: PROMPT_RESULT } },
    "completion/complete": { odd: { result: COMPLETION }, [`${scheme}://t/{x}`]: { result: COMPLETION } },
    "resources/read": {
      [`${scheme}://plain`]: { result: texts.contents },
      [`${scheme}://tagged`]: { result: texts.hinted },
      [`${scheme}://gone`]: { error: texts.gone },
      [`${scheme}://absent`]: { error: texts.absent },
    },
  };
};
