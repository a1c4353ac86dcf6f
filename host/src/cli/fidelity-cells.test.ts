/** Questions, answers and what is around them, through all four cells, compared as text. */
import { beforeAll, describe, expect, it } from "vitest";
import {
  argumentsOf,
  asksLater,
  CELLS,
  openCell,
  serveScripts,
  type Cell,
  type CellName,
  type Question,
} from "./fidelity-cells-for-tests.ts";
import * as texts from "./fidelity-cells-texts-for-tests.ts";
import { NOTICES } from "./lossless-texts-for-tests.ts";
import type { Served } from "./serve-for-tests.ts";

let host: Served;

beforeAll(async () => {
  host = await serveScripts();
  return () => host.stop();
});

/** What the client should have been asked, in order, and was not. The parameters are compared as text. */
const unasked = ({ client, upstream, joined }: CellName, asked: readonly string[]): string[] => {
  const shown = (question: Question): string => texts.askedAs(question, joined ? upstream : null);
  if (client === "legacy") {
    const all = texts.ROUNDS.flatMap(({ questions }) => questions);
    return all
      .map((each) => `"method":"${each.method}","params":${shown(each)}`)
      .filter((each, nth) => each !== asked[nth]);
  }
  return texts.ROUNDS.flatMap(({ questions }, nth) => {
    const said = asked[nth] ?? '"result":{"inputRequests":{}}';
    const { result } = JSON.parse(`{${said}}`) as { result: { inputRequests: Record<string, { method: string }> } };
    const entries = Object.entries(result.inputRequests);
    return questions.flatMap((each, at) => {
      const [key, { method }] = entries[at] ?? ["", { method: "" }];
      const named = upstream.startsWith("legacy") || JSON.stringify(key) === each.key;
      return named && method === each.method && said.includes(shown(each)) ? [] : [`${each.key}: ${shown(each)}`];
    });
  });
};

describe.each(CELLS)("$client client, server $upstream, joined: $joined", (name) => {
  const modern = name.client === "modern";
  let cell: Cell;

  beforeAll(async () => {
    cell = await openCell(name, host);
  });

  const fit = (result: string): string => `"result":${modern ? `{"resultType":"complete",${result.slice(1)}` : result}`;

  it("is asked in the server's own words", async () => {
    const { asked } = await cell.play(texts.scriptOf(cell.newMark()), texts.answerNth);
    expect(unasked(name, asked)).toEqual([]);
  });

  it("has its answers and its arguments arrive as they were written", async () => {
    const script = texts.scriptOf(cell.newMark());
    await cell.play(script, texts.answerNth);
    const lines = await cell.linesOf(script.mark);
    const sends = lines.filter((line) => line.includes('"method":"tools/call"'));
    expect(sends).toHaveLength(asksLater(name) ? texts.ROUNDS.length + 1 : 1);
    for (const send of sends) expect(send).toContain(`"arguments":${argumentsOf(script)}`);
    // What follows the first line is what followed the first round.
    const answers = lines.slice(1).join("\n");
    for (const answer of texts.ANSWERS) expect(answers).toContain(answer);
    expect(answers.split(texts.ANSWERS[0] as string)).toHaveLength(3);
    expect(answers.includes(`"requestState":${texts.STATE}`)).toBe(asksLater(name));
  });

  it("hears progress, the log and the result as they came", async () => {
    const { said, notices } = await cell.play(texts.scriptOf(cell.newMark()), texts.answerNth);
    expect(said).toBe(fit(texts.ODD_RESULT));
    expect(notices).toEqual([
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"\\u0074",${NOTICES.progress}}}`,
      `{"jsonrpc":"2.0","method":"notifications/message","params":{${NOTICES.log}}}`,
    ]);
  });

  it("gets an error with its data whole, after it answered", async () => {
    const script = texts.scriptOf(cell.newMark(), `"error" : ${texts.FAILURE}`);
    expect((await cell.play(script, texts.answerNth)).said).toBe(`"error":${texts.FAILURE}`);
  });

  it("is asked by a prompt in the same way", async () => {
    const script = texts.scriptOf(cell.newMark(), String.raw`"result":{ "messages":[ ],"x":"\u00e9"}`);
    const own = cell.nameOf("script");
    const params = `"name":"${own}","arguments":${JSON.stringify({ script: JSON.stringify(script) })}`;
    const { asked, said } = await cell.talk({ method: "prompts/get", params, name: own }, texts.answerNth);
    expect(unasked(name, asked)).toEqual([]);
    expect(said).toBe(fit(String.raw`{ "messages":[ ],"x":"\u00e9"}`));
  });

  it("is asked by a resource in the same way", async () => {
    const script = texts.scriptOf(cell.newMark(), String.raw`"result":{ "contents":[ ],"x":"\u00e9"}`);
    const uri = `${name.upstream}://script/${Buffer.from(JSON.stringify(script)).toString("base64url")}`;
    const order = { method: "resources/read", params: `"uri":"${uri}"`, name: uri };
    const { asked, said } = await cell.talk(order, texts.answerNth);
    expect(unasked(name, asked)).toEqual([]);
    const hints = modern ? `"resultType":"complete","ttlMs":0,"cacheScope":"private",` : "";
    expect(said).toBe(String.raw`"result":{${hints} "contents":[ ],"x":"\u00e9"}`);
  });
});

const only = (client: string, server: string): CellName[] =>
  CELLS.filter((cell) => cell.client === client && cell.upstream.startsWith(server));

describe.each(only("modern", "modern"))("modern client, server $upstream, joined: $joined", (name) => {
  it("gets the whole result that asks as the server wrote it, but for the state and who asks", async () => {
    const cell = await openCell(name, host);
    const { asked } = await cell.play(texts.scriptOf(cell.newMark()), texts.answerNth);
    const shown = (question: Question): string => texts.askedAs(question, name.joined ? name.upstream : null);
    const entries = texts.QUESTIONS.map(
      (each) => `${each.key} : {${texts.EXTRAS[0]},"params" : ${shown(each)} ,"method":"${each.method}" }`,
    );
    expect(asked[0]?.replace(/"bw1\.[\w-]+"/, "STATE")).toBe(
      `"result":{ ${texts.EXTRAS[0]},"inputRequests" : { ${entries.join(" , ")} } ,"resultType":"input_required","requestState" : STATE }`,
    );
  });

  it("gets a state also where the server gave none, and loses nothing by it", async () => {
    const cell = await openCell(name, host);
    const { asked } = await cell.play(texts.scriptOf(cell.newMark()), texts.answerNth);
    expect(asked[1]).toMatch(/"requestState" ?: ?"bw1\.[\w-]+"/);
    expect(asked[1]?.split(texts.EXTRAS[1])).toHaveLength(3);
  });
});

describe.each(only("legacy", ""))("legacy client, server $upstream, joined: $joined", (name) => {
  it("has its error reach a server of its era whole, and one of the other as a cancel", async () => {
    const refused = String.raw`{"code":-1, "message":"n\u006f","data":[1.0,{ }],"x":null}`;
    const cell = await openCell(name, host);
    const rounds = [{ questions: texts.QUESTIONS.slice(0, 1), state: null, extra: '"x":1' }];
    const script = { mark: cell.newMark(), rounds, end: '"result":{}' };
    await cell.play(script, () => `"error":${refused}`);
    const [, line] = await cell.linesOf(script.mark);
    expect(line).toContain(asksLater(name) ? `"inputResponses":{"name":{"action":"cancel"}}` : `"error":${refused}`);
  });
});
