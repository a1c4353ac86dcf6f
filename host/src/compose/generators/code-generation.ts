/** `code_generation`: a model of the host's writes source code from a specification. The one generator that asks somebody else. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ParentRun } from "../../kernel/call-run.ts";
import { HostError } from "../../kernel/host-error.ts";
import { ModelError, type FinishReason, type ModelRequest, type Models, type ModelUsage } from "../../kernel/model.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { ComposeError } from "../compose-error.ts";
import type { Credentials } from "../plugins/availability-of.ts";
import { takeCode } from "./code-generation-fence.ts";
import { codeModel } from "./code-generation-model.ts";
import {
  codeGenerationEntry,
  codeProvider,
  type CodeGenerationConfig,
  type CodeProvider,
} from "./code-generation-provider.ts";
import { readCodeSettings, type CodeSettings } from "./code-generation-settings.ts";
import { generationFailed, tooLarge, type Generation } from "./generation.ts";
import type { GeneratorEntry } from "./generator-entry.ts";
import { fillPlaceholders, keepPlaceholder, lookInto } from "./placeholders.ts";
import { templateFill } from "./template-fill.ts";
import { TextTotal } from "./text-total.ts";

export interface CodeGenerationOptions {
  readonly models: Models;
  readonly config: CodeGenerationConfig;
}

export interface CodeOrder extends Generation {
  /** Every call of the model counts against it; null: there is none. */
  readonly run: ParentRun | null;
  readonly signal: AbortSignal;
}

export interface CodeMade {
  readonly text: string;
  /** `model`, `attempts`, `tokens`, and `cost_usd` where it is known; `fallback` where the model gave nothing. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

const SYSTEM =
  "You write source code from a specification. Answer with one fenced code block that holds the whole code, without any " +
  "text before or after it.";
const RETRIED: ReadonlySet<string> = new Set<ModelError["kind"]>(["rate_limited", "overloaded", "network"]);
const LONGEST_WAIT_MS = 60_000;

export const createCodeGeneration = (options: CodeGenerationOptions): CodeGeneration => new CodeGeneration(options);

interface Answer {
  readonly text: string;
  readonly finish: FinishReason;
  readonly usage: ModelUsage;
}

export class CodeGeneration {
  readonly entry: GeneratorEntry;
  readonly #models: Models;
  readonly #config: CodeGenerationConfig;
  readonly #provider: CodeProvider;

  constructor({ models, config }: CodeGenerationOptions) {
    this.#models = models;
    this.#config = config;
    this.#provider = codeProvider(config);
    this.entry = codeGenerationEntry(this.#provider);
  }

  /** The sentence that says why its provider cannot be called; null: it can. */
  fault(): string | null {
    try {
      return this.#models.unconfigured(`${this.#provider.name}:any`);
    } catch (error) {
      if (error instanceof Refusal) return error.message;
      throw error;
    }
  }

  /** Of this generator: a key that the configuration gives counts as its variable. */
  credentials(others: Credentials): Credentials {
    const { credential } = this.#provider;
    return { has: (name) => (name === credential && this.fault() === null) || others.has(name) };
  }

  /** Throws ComposeError, or the signal's reason. */
  async generate(order: CodeOrder): Promise<CodeMade> {
    const settings = readCodeSettings(order.pattern?.generation_config ?? {});
    const prompt = writePrompt(order, settings);
    try {
      return await this.#ask(order, settings, prompt);
    } catch (error) {
      const isExpected = error instanceof ComposeError && error.code === "generation_failed";
      if (settings.fallbackTemplate === null || !isExpected) throw error;
      return fallBack(order, settings.fallbackTemplate, error);
    }
  }

  async #ask(order: CodeOrder, settings: CodeSettings, prompt: string): Promise<CodeMade> {
    const model = codeModel(settings.model, {
      provider: this.#provider.name,
      models: this.#models,
      config: this.#config,
    });
    const request: ModelRequest = {
      model,
      stable: settings.systemPrompt ?? SYSTEM,
      varying: "",
      messages: [{ role: "user", text: prompt }],
      tools: [],
      maxOutputTokens: settings.maxTokens,
      temperature: settings.temperature,
      signal: order.signal,
    };
    for (let attempt = 1; ; attempt++) {
      try {
        return this.#take(await this.#read(request, order), { request, settings, attempt });
      } catch (error) {
        order.signal.throwIfAborted();
        const wait = waitAfter(error, attempt, settings);
        if (wait === null) throw told(error, { model, attempts: attempt });
        await sleep(wait, undefined, { signal: order.signal }).catch(() => order.signal.throwIfAborted());
      }
    }
  }

  async #read(request: ModelRequest, { run, maxBytes }: CodeOrder): Promise<Answer> {
    if (run !== null && run.tokensLeft() <= 0)
      throw generationFailed("The run has no input tokens left for another call of a model");
    const pieces: string[] = [];
    let length = 0;
    let usage: ModelUsage | null = null;
    try {
      for await (const event of this.#models.call(request)) {
        if (event.type === "done") {
          ({ usage } = event);
          request.signal.throwIfAborted();
          return { text: pieces.join(""), finish: event.finish, usage };
        }
        request.signal.throwIfAborted();
        if (event.type !== "text") continue;
        pieces.push(event.text);
        length += event.text.length;
        if (length > maxBytes) throw tooLarge(Buffer.byteLength(pieces.join("")), maxBytes);
      }
    } finally {
      // What was written before it broke off was paid for too.
      usage ??= length === 0 ? null : estimate(request, length);
      if (usage !== null) run?.spend({ ...usage, costUsd: this.#models.costOf(request.model, usage) });
    }
    throw new HostError("the answer of a model ended without its end");
  }

  #take(
    { text, finish, usage }: Answer,
    asked: { readonly request: ModelRequest; readonly settings: CodeSettings; readonly attempt: number },
  ): CodeMade {
    const { request, settings, attempt } = asked;
    const cost = this.#models.costOf(request.model, usage);
    const tokens = { input: usage.inputTokens, output: usage.outputTokens };
    const metadata = {
      model: request.model,
      attempts: attempt,
      tokens: usage.estimated ? { ...tokens, estimated: true } : tokens,
      ...(cost === null ? {} : { cost_usd: cost }),
    };
    if (finish === "length")
      throw generationFailed(
        `The model was cut at ${settings.maxTokens} tokens; give generation_config.max_tokens a larger number`,
        metadata,
      );
    if (finish === "content-filter") throw generationFailed("The model refused to write this", metadata);
    const code = takeCode(text, settings.language);
    if (code.trim() === "") throw generationFailed("The model wrote nothing", metadata);
    return { text: code, metadata };
  }
}

const CHARACTERS_OF_TOKEN = 4;

const estimate = ({ stable, messages }: ModelRequest, written: number): ModelUsage => {
  const asked = messages.reduce((sum, message) => sum + ("text" in message ? message.text.length : 0), stable.length);
  return {
    inputTokens: Math.ceil(asked / CHARACTERS_OF_TOKEN),
    outputTokens: Math.ceil(written / CHARACTERS_OF_TOKEN),
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    estimated: true,
  };
};

const writePrompt = ({ config, pattern, context, maxBytes }: CodeOrder, settings: CodeSettings): string => {
  const given = pattern?.specification ?? pattern?.generation_config?.["prompt"];
  if (typeof given !== "string" || given.trim() === "")
    throw generationFailed(`Config '${config.id}' has no specification for code_generation`);
  const look = (name: string): unknown => lookInto(context, name);
  // No escapes: a specification may hold code, and a backslash there is one.
  const text = fillPlaceholders(given, { look, missing: keepPlaceholder, total: new TextTotal(maxBytes) });
  const language = settings.language === null ? [] : [`Write it in ${settings.language}.`];
  const hints =
    settings.styleHints.length === 0 ? [] : [`Style:\n${settings.styleHints.map((one) => `- ${one}`).join("\n")}`];
  return [text, ...language, ...hints].join("\n\n");
};

/** In ms; null: it is not tried again. */
const waitAfter = (error: unknown, attempt: number, { retryCount, retryDelayMs }: CodeSettings): number | null => {
  if (!(error instanceof ModelError) || !RETRIED.has(error.kind) || attempt > retryCount) return null;
  const wait = Math.max(retryDelayMs * 2 ** (attempt - 1), error.retryAfterMs ?? 0);
  return wait <= LONGEST_WAIT_MS ? wait : null;
};

const told = (error: unknown, about: { readonly model: string; readonly attempts: number }): unknown => {
  if (error instanceof ModelError) return generationFailed(error.message, { ...about, reason: error.kind });
  return error instanceof Refusal ? generationFailed(error.message, { ...about, next: error.next }) : error;
};

const fallBack = ({ config, pattern, context, maxBytes }: CodeOrder, template: string, why: ComposeError): CodeMade => {
  const text = templateFill({ config, pattern: { id: pattern?.id ?? "fallback", template }, context, maxBytes });
  // A reason in the metadata of a text is why it was not made anew.
  const { reason: _, ...details } = why.details;
  return { text, metadata: { ...details, fallback: true, fallback_reason: why.message } };
};
