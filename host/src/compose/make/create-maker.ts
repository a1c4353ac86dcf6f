/**
 * Makes a text from a config and a context. What decides about the text is read first, so that a stored text can be known to be
 * the same without making it again. Nothing is stored here.
 */
import { ComposeError } from "../compose-error.ts";
import { choosePattern } from "../generators/choose-pattern.ts";
import { tooLarge } from "../generators/generation.ts";
import type { GeneratorEntry } from "../generators/generator-entry.ts";
import { selectGenerator } from "../generators/select-generator.ts";
import { usesJinjaBlocks, usesJinjaExpression } from "../jinja/uses-jinja.ts";
import type { Credentials } from "../plugins/availability-of.ts";
import { preflight } from "../plugins/preflight.ts";
import type { Queue } from "../queue.ts";
import { digestOf } from "../storage/stored-version.ts";
import type {
  GeneratorBook,
  GeneratorResult,
  Made,
  Maker,
  MakeOrder,
  Prepared,
  Templates,
  Workbench,
} from "../workbench.ts";
import { joinContext } from "./join-context.ts";
import { sourcePorts, type SourcePlaces } from "./source-ports.ts";
import { untilAborted } from "./until-aborted.ts";

export interface MakerPorts extends SourcePlaces {
  readonly generators: Pick<GeneratorBook, "look" | "run">;
  /** What this generator may have, so that a list and a call say the same of it. */
  readonly credentialsOf: (type: string) => Credentials;
  /** Of a pattern's `template`: the text itself or the name of a file, with all that it includes. */
  readonly gatherTemplates: (template: string) => Promise<Templates>;
  readonly queue: Pick<Queue, "run">;
  readonly limits: () => Pick<ReturnType<Workbench["limits"]>, "max_content_size_bytes">;
}

const NO_TEMPLATES: Templates = { text: null, files: new Map(), isOpen: false };

export const createMaker = (ports: MakerPorts): Maker => new ContentMaker(ports);

class ContentMaker implements Maker {
  readonly #ports: MakerPorts;

  constructor(ports: MakerPorts) {
    this.#ports = ports;
  }

  async prepare(order: MakeOrder): Promise<Prepared> {
    const { config, signal } = order;
    const { entry, rule } = await this.#select(order);
    const pattern = choosePattern(config, entry.type);
    const context = await joinContext({ config, pattern, given: order.context }, sourcePorts(this.#ports, signal));
    const template = entry.type === "jinja2" ? pattern?.template : undefined;
    const templates = template === undefined ? NO_TEMPLATES : await this.#ports.gatherTemplates(template);
    signal.throwIfAborted();
    return {
      order,
      generator: entry,
      rule,
      context,
      templates,
      contextVariables: Object.keys(context).toSorted(),
      freshness: {
        generator: entry.type,
        generator_version: entry.version,
        config_digest: digestOf({ config, template: templates.text, files: Object.fromEntries(templates.files) }),
        context_digest: digestOf(context),
      },
    };
  }

  async #select({ config }: MakeOrder): Promise<Pick<Prepared, "rule"> & { readonly entry: GeneratorEntry }> {
    const { generators } = await this.#ports.generators.look();
    const entries = new Map(generators.map(({ entry }) => [entry.type, entry]));
    const known = new Set(entries.keys());
    const { type, rule } = selectGenerator(config, { known, usesJinjaBlocks, usesJinjaExpression });
    return { entry: entries.get(type)!, rule };
  }

  async make(prepared: Prepared): Promise<Made> {
    const { generator, order } = prepared;
    const { timeoutMs, lane } = preflight(generator, this.#ports.credentialsOf(generator.type));
    const result = await this.#ports.queue.run({
      kind: "generation",
      lane,
      owner: order.owner,
      signal: order.signal,
      // Of a plug-in its own process keeps the time: what another one held up there is not counted.
      run: (signal) => this.#run(prepared, { signal, timeoutMs: generator.source === "plugin" ? null : timeoutMs }),
    });
    const size = Buffer.byteLength(result.text);
    const { max_content_size_bytes: limit } = this.#ports.limits();
    if (size > limit) throw tooLarge(size, limit);
    // As it would come back from a file.
    return { ...result, text: result.text.toWellFormed(), prepared };
  }

  /** Its time begins here, when it has its turn. */
  async #run({ generator, order, context, templates }: Prepared, bounds: Bounds): Promise<GeneratorResult> {
    const { type } = generator;
    const { timeoutMs } = bounds;
    const stop = new AbortController();
    const timer =
      timeoutMs === null ? undefined : setTimeout(() => stop.abort(tookTooLong(type, timeoutMs)), timeoutMs);
    const signal = timer === undefined ? bounds.signal : AbortSignal.any([bounds.signal, stop.signal]);
    try {
      return await untilAborted(signal, () =>
        this.#ports.generators.run({ type, config: order.config, context, templates, run: order.run, signal }),
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Bounds {
  readonly signal: AbortSignal;
  readonly timeoutMs: number | null;
}

const tookTooLong = (generator: string, timeoutMs: number): ComposeError =>
  new ComposeError("generation_timeout", `The generator ${generator} took longer than ${timeoutMs} ms.`, {
    generator,
    timeout_ms: timeoutMs,
  });
