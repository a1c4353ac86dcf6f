import { expect, it } from "vitest";
import { Places } from "./places.ts";

it("each owner has so many at once, the others wait in order, and a place is given back once", async () => {
  const places = new Places(2);
  const entered: string[] = [];
  const enter = async (owner: string, name: string): Promise<() => void> => {
    const leave = await places.take(owner);
    entered.push(name);
    return leave;
  };
  const [first] = await Promise.all([enter("a", "a1"), enter("a", "a2")]);
  const waiting = [enter("a", "a3"), enter("a", "a4")];
  await enter("b", "b1");
  expect(entered).toEqual(["a1", "a2", "b1"]);
  first();
  first();
  const third = await waiting[0]!;
  expect(entered).toEqual(["a1", "a2", "b1", "a3"]);
  third();
  await waiting[1];
  expect(entered).toEqual(["a1", "a2", "b1", "a3", "a4"]);
});
