import { expect, it } from "vitest";
import { plainOrder } from "./plain-order.ts";

it.each([
  ["send", "mail__send", "", 1, 220],
  ["send", "mail__x", "it is sent by sendmail", 1, 110],
  ["send mail", "mail__send", "", 2, 40],
  ["send mail", "mail__send", "send mail", 2, 160],
  ["Mails!", "mail__send", "", 1, 20],
  ["mail mails", "mail__send", "", 1, 20],
  ["bus", "a__bu", "", 0, 0],
  [" a__b ", "a__b", "a__b", 2, 360],
  ["send zebra", "a__b", "a zebra", 1, 10],
  ["grün", "a__b", "grün", 1, 110],
])("%j covers of %s, %j so much: %i terms, score %i", (query, plainName, plainDescription, covered, score) =>
  expect(plainOrder(query)({ plainName, plainDescription })).toEqual({ covered, score }),
);
