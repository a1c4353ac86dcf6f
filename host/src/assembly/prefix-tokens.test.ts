import { expect, it } from "vitest";
import { keepInMemory } from "../bundles/oauth/token-store-for-tests.ts";
import { prefixTokens } from "./prefix-tokens.ts";

it("accounts of two workspaces, and of the default one, are apart: none sees, replaces or removes another's", () => {
  const all = keepInMemory();
  const [lab, other] = [prefixTokens(all, ["workspace", "ws_lab"]), prefixTokens(all, ["workspace", "ws_other"])];
  const key = ["mail", "person:ann"];
  lab.write(key, "of the lab");
  other.write(key, "of the other");
  all.write(key, "of the default");
  expect([lab.read(key), other.read(key), all.read(key)]).toEqual(["of the lab", "of the other", "of the default"]);
  expect(lab.keys([])).toEqual([key]);
  expect(all.keys(["mail"])).toEqual([key]);
  lab.remove(key);
  expect([lab.read(key), other.read(key), all.read(key)]).toEqual([null, "of the other", "of the default"]);
  expect(lab.keys(["mail"])).toEqual([]);
});
