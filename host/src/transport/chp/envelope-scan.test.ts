import { expect, it } from "vitest";
import { countMembers } from "../../kernel/scan-json.ts";
import { EnvelopeScan } from "./envelope-scan.ts";

const look = (text: string): { count: number; hasDigit: boolean; found: string | null } => {
  const scan = new EnvelopeScan();
  JSON.parse(text);
  return { count: scan.count(text, 256), hasDigit: scan.hasDigit, found: scan.arguments() };
};

it.each([
  ['{"payload":{"a":"b"}}', '{"a":"b"}'],
  ['{ "arguments" : \n {"a":{"payload":{}}} , "x":true}', '{"a":{"payload":{}}}'],
  ['{"x":"payload","y":{"payload":{"no":"no"}},"payload":{}}', "{}"],
  ['{"capability_id":"a","payload":{"q":"\\"}","l":[[],{}]},"mode":"sync"}', '{"q":"\\"}","l":[[],{}]}'],
  ['{"payload":[{}],"x":{}}', "[{}]"],
  ['{"payload":null,"x":{}}', null],
  ['{"payload":"{}"}', null],
  ['{"payload":{},"arguments":null}', null],
  ['{"payloads":{},"argument":{},"a":{},"p":{}}', null],
  ['{"p\\u0061yload":{}}', null],
  ['[{"payload":{}}]', null],
  ["{}", null],
])("finds the arguments of %s as they stand there", (text, found) => {
  expect(look(text)).toEqual({ count: countMembers(text, 256), hasDigit: false, found });
});

it.each(['{"a":1}', '{"a":[-0.5]}', '{"payload":{"n":1e5}}'])("sees that there is a number in %s", (text) => {
  expect(look(text).hasDigit).toBe(true);
});

it("takes digits of names and strings for none", () => {
  expect(look('{"a1":"2","b":["3\\"4"]}').hasDigit).toBe(false);
});

it("gives up where it nests too deep", () => {
  expect(new EnvelopeScan().count('{"payload":{"a":[]}}', 2)).toBe(-1);
});
