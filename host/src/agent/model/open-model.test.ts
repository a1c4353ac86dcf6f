import { expect, it, onTestFinished } from "vitest";
import type { Models } from "../../kernel/model.ts";
import { createModels } from "./create-models.ts";
import { startModelStub } from "./model-stub-for-tests.ts";
import { collect, configOf, requestFor } from "./models-for-tests.ts";

it.each(["anthropic", "openai-compatible"] as const)(
  "each call goes to the model it names, with the key of its time (%s)",
  async (type) => {
    const stub = await startModelStub(() => ({ text: "ok" }));
    onTestFinished(() => stub.close());
    const withKey = (apiKey: string): Models => {
      const entry = { type, baseURL: stub.url, apiKey, headers: {} };
      return createModels({ config: configOf({ providers: { a: entry, b: entry } }), env: {} });
    };
    const [before, after] = [withKey("key-before"), withKey("key-after")];
    for (const model of ["a:one", "a:two", "a:two", "b:one", "a:one"]) await collect(before.call(requestFor(model)));
    await collect(after.call(requestFor("a:one")));
    const seen = stub.requests().map(({ body, headers }) => {
      const key = headers["x-api-key"] ?? headers["authorization"];
      return [body["model"], String(key).replace("Bearer ", "")];
    });
    const first = ["one", "two", "two", "one", "one"].map((model) => [model, "key-before"]);
    expect(seen).toEqual([...first, ["one", "key-after"]]);
  },
);
