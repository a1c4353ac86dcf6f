/** The stub as a process of its own, told what to answer over its control route. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createModels } from "./create-models.ts";
import { startModelStub } from "./model-stub-for-tests.ts";
import { collect, configOf, fail, requestFor } from "./models-for-tests.ts";

const FIXTURE = fileURLToPath(new URL("../../../test/fixtures/model-stub.mjs", import.meta.url));

const modelsAt = (baseURL: string) =>
  createModels({ config: configOf({ model: { provider: "anthropic", apiKey: "k", baseURL } }), env: {} });

test("runs as a process, takes a script and tells what came", async () => {
  const child = spawn(process.execPath, [FIXTURE], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  const control = new URL("/control/", url);
  await fetch(new URL("script", control), { method: "POST", body: JSON.stringify([{ text: "one", forever: true }]) });
  const models = modelsAt(url);
  for (const expected of ["one", "one"]) {
    expect(await collect(models.call(requestFor("claude-x")))).toMatchObject([{ text: expected }, { type: "done" }]);
  }
  const requests = (await (await fetch(new URL("requests", control))).json()) as unknown[];
  expect(requests).toMatchObject([{ wire: "anthropic", last: "Hello" }, { body: { model: "claude-x" } }]);
});

test("asks a function for each answer, and pauses until a promise is settled", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stub = await startModelStub((request, index) => ({ text: [`${index}`, promise, request.last] }));
  onTestFinished(() => stub.close());
  const texts: string[] = [];
  for await (const event of modelsAt(stub.url).call(requestFor("claude-x"))) {
    if (event.type === "text") texts.push(event.text);
    resolve();
  }
  expect(texts).toEqual(["0", "Hello"]);
});

test("says so when no turn is left, or the script fails", async () => {
  const stub = await startModelStub();
  onTestFinished(() => stub.close());
  const ask = async (): Promise<string> => (await fail(modelsAt(stub.url).call(requestFor("claude-x")))).error.message;
  expect(await ask()).toContain("The stub has no turn left for this request.");
  stub.script(() => {
    throw new Error("expected another");
  });
  expect(await ask()).toContain("The stub's script failed: Error: expected another");
});
