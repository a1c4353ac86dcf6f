import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { ComposeError } from "../compose-error.ts";
import type { RenderOrder } from "../workbench.ts";
import { createRenderer, type Renderer, type RendererOptions } from "./create-renderer.ts";

/** For tests that have no wishes of their own: a thread takes a while to start. */
const { render: renderShared, close: closeShared } = createRenderer({ timeMs: 60_000 });
afterAll(closeShared);

/** All threads that are started until the test ends. */
const watchThreads = (): readonly Worker[] => {
  const threads: Worker[] = [];
  const add = (thread: Worker): void => void threads.push(thread);
  process.on("worker", add);
  onTestFinished(() => void process.off("worker", add));
  return threads;
};

const open = (options: RendererOptions): Renderer => {
  const renderer = createRenderer(options);
  onTestFinished(() => renderer.close());
  return renderer;
};

const order = (text: string, over: Partial<RenderOrder> = {}): RenderOrder => ({
  text,
  context: {},
  load: () => Promise.resolve(null),
  maxBytes: 100_000,
  signal: new AbortController().signal,
  ...over,
});

const from =
  (files: Readonly<Record<string, string>>, asked: string[] = []) =>
  (name: string): Promise<string | null> => {
    asked.push(name);
    return Promise.resolve(files[name] ?? null);
  };

const errorOf = async (work: Promise<unknown>): Promise<ComposeError> => {
  const error: unknown = await work.then(
    (value) => new Error(`it gave ${JSON.stringify(value)}`),
    (caught: unknown) => caught,
  );
  if (error instanceof ComposeError) return error;
  throw error;
};

/** Within the steps that it is given, it takes longer than any test may. */
const ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}";
const SLOW: RendererOptions = { timeMs: 1_000, fuel: 1e15 };

describe("a template", () => {
  it("is rendered with its context", async () => {
    const text = "{% for x in xs %}{{ loop.index }}:{{ x.name|upper }} {% endfor %}";
    const context = { xs: [{ name: "ann" }, { name: "bo" }] };
    expect(await renderShared(order(text, { context }))).toBe("1:ANN 2:BO ");
  });

  it("gets what it includes, extends and imports, each asked for once", async () => {
    const files = {
      base: "<{% block b %}{% endblock %}>",
      part: "{{ who }}{% include 'deep/er' %}",
      "deep/er": "!",
      macros: "{% macro m(x) %}[{{ x }}]{% endmacro %}",
    };
    const asked: string[] = [];
    const text =
      "{% extends 'base' %}{% block b %}{% from 'macros' import m %}{{ m(1) }}{% include 'part' %}{% include name %}{% endblock %}";
    const load = from(files, asked);
    expect(await renderShared(order(text, { load, context: { who: "Ann", name: "part" } }))).toBe("<[1]Ann!Ann!>");
    expect(asked.toSorted()).toEqual(["base", "deep/er", "macros", "part"]);
  });

  it("that includes what is not there says which and on which line", async () => {
    const render = renderShared;
    expect(await errorOf(render(order("a\n{% include 'no.md' %}")))).toMatchObject({
      code: "generation_failed",
      message: "Template not found: no.md (line 2)",
    });
    expect(await render(order("a{% include 'no.md' ignore missing %}"))).toBe("a");
  });

  it.each(["../secret", "/etc/passwd", "a/../../b", "a\\..\\b", "file:x", "", ".", "a//b"])(
    "that includes %j is not even asked about",
    async (name) => {
      const asked: string[] = [];
      const error = await errorOf(
        renderShared(order("{% include n %}", { context: { n: name }, load: from({}, asked) })),
      );
      expect(error.message).toContain("Template not found");
      expect(asked).toEqual([]);
    },
  );

  it("that fails says why, and the line", async () => {
    expect(await errorOf(renderShared(order("a\n\n{{ user.name }}")))).toMatchObject({
      code: "generation_failed",
      message: "Undefined variable in template: 'user' is undefined (line 3)",
    });
  });

  it("cannot reach what runs it", async () => {
    const render = renderShared;
    for (const text of ["{{ x.constructor }}", "{{ x.__proto__ }}", "{{ process }}", "{{ self.constructor }}"]) {
      expect(await render(order(text, { context: { x: {} } })).catch((error: Error) => error.message)).toMatch(
        /^$|^Template refused|^Undefined|^Template failed/,
      );
    }
  });
});

describe("a template that would not end", () => {
  it("is stopped by its steps", async () => {
    expect(await errorOf(open({ fuel: 10_000 }).render(order(ENDLESS)))).toMatchObject({
      code: "generation_failed",
      message: "Template stopped: it takes more than 10000 steps (line 1)",
    });
  });

  it("is stopped by its time, and the next one is rendered all the same", async () => {
    const threads = watchThreads();
    const { render } = open(SLOW);
    const late = { code: "generation_failed", message: "Template stopped: it took longer than 1000 ms" };
    const ended = [1, 2].map(() => errorOf(render(order(ENDLESS))));
    // It waits for one of the two, and gets another.
    const next = render(order("{{ 1 + 1 }}"));
    expect(await Promise.all(ended)).toMatchObject([late, late]);
    expect(await next).toBe("2");
    expect(threads.length).toBe(3);
  });

  it("is stopped by its caller, and the next one is rendered all the same", async () => {
    const { render } = open({ timeMs: 60_000, fuel: 1e15 });
    const stop = new AbortController();
    const gone = new Error("the caller has gone");
    const work = [1, 2, 3].map(() => render(order(ENDLESS, { signal: stop.signal })));
    stop.abort(gone);
    expect(await Promise.allSettled(work)).toEqual(work.map(() => ({ status: "rejected", reason: gone })));
    await expect(render(order("x", { signal: stop.signal }))).rejects.toBe(gone);
    expect(await render(order("{{ 1 + 1 }}"))).toBe("2");
  });

  it("in including ever more is stopped by their number", async () => {
    const text = "{% for i in range(1000) %}{% include 'n' ~ i %}{% endfor %}";
    expect(await errorOf(renderShared(order(text, { load: () => Promise.resolve("x") })))).toMatchObject({
      code: "generation_failed",
      message: "Template stopped: it includes more than 100 templates",
    });
  });

  it("in including ever more is stopped by their size", async () => {
    const text = "{% for i in range(50) %}{% include 'n' ~ i ignore missing %}{% endfor %}";
    const load = (): Promise<string> => Promise.resolve(`{#${"x".repeat(3_000_000)}#}`);
    const error = await errorOf(renderShared(order(text, { load, maxBytes: 10_000_000 })));
    expect(error.message).toBe("Template stopped: what it includes has more than 10000000 bytes");
  });

  it("while what it includes is read, is left by its caller", async () => {
    const stop = new AbortController();
    const render = renderShared;
    const load = (): Promise<never> => {
      stop.abort(new Error("gone"));
      return new Promise(() => {});
    };
    await expect(render(order("{% include 'a' %}", { load, signal: stop.signal }))).rejects.toThrow("gone");
    expect(await render(order("still here"))).toBe("still here");
  });
});

describe("a text that is too large", () => {
  it("is refused with its size", async () => {
    expect(await errorOf(renderShared(order("{{ '\u00e9' * 60000 }}")))).toMatchObject({
      code: "content_too_large",
      details: { size: 120_000, limit: 100_000 },
    });
  });

  it("is refused where it was stopped in the making", async () => {
    expect(await errorOf(renderShared(order("{{ 'x' * 10 ** 12 }}")))).toMatchObject({
      code: "content_too_large",
      details: { size: 200_000, limit: 100_000, at_least: true },
    });
  });

  it("is not refused where it has just the size", async () => {
    expect((await renderShared(order("{{ 'x' * 100000 }}"))).length).toBe(100_000);
  });
});

describe("the threads", () => {
  it("are there for more than there are of them, in order", async () => {
    const render = renderShared;
    const made = await Promise.all(Array.from({ length: 40 }, (_, n) => render(order("{{ n }}", { context: { n } }))));
    expect(made).toEqual(made.map((_, n) => String(n)));
  });

  it("keep nothing of a template that was given up for the next one", async () => {
    const threads = watchThreads();
    const { render } = open({});
    const load = (name: string): Promise<string> =>
      name === "b" ? Promise.resolve("old") : Promise.reject(new ComposeError("generation_failed", "it is a link"));
    const error = await errorOf(render(order("{% include 'b' %}{% include 'a' %}", { load })));
    expect(error.message).toBe("it is a link");
    expect(await render(order("{% include 'b' %}", { load: from({ b: "new" }) }))).toBe("new");
    expect(threads.length).toBe(1);
  });

  it("end when there is no work, and start again", async () => {
    const threads = watchThreads();
    const { render } = open({ idleMs: 1 });
    expect(await render(order("{{ 1 }}"))).toBe("1");
    await once(threads[0]!, "exit");
    expect(await render(order("{{ 2 }}"))).toBe("2");
    expect(threads.length).toBe(2);
  });

  it("give nothing more once they are closed", async () => {
    const { render, close } = createRenderer({ timeMs: 60_000, fuel: 1e15 });
    const work = [1, 2, 3, 4].map(() => errorOf(render(order(ENDLESS))));
    await close();
    for (const { message } of [...(await Promise.all(work)), await errorOf(render(order("x")))]) {
      expect(message).toBe("The template was not rendered: the host is stopping");
    }
  });
});
