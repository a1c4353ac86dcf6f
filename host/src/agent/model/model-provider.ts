/**
 * A model provider (never a provider of tools) as the configuration describes it, with the values of the environment
 * put in. Not to be logged.
 */

export type Wire = "anthropic" | "openai-compatible";

export interface ModelProvider {
  readonly name: string;
  readonly wire: Wire;
  /** Without a slash at its end. */
  readonly baseURL: string;
  /** Null: none is set, and none is needed. */
  readonly apiKey: string | null;
  /** Where the key is set, for messages: a variable's name or a key of the configuration, never the value. */
  readonly keyPlace: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The sentence that says what keeps it from being called; null: nothing. */
  readonly fault: string | null;
}

export const ANTHROPIC_URL = "https://api.anthropic.com/v1";

/** Name and port of the endpoint, which hold no credential; empty: the address is no URL. */
export const hostOf = (provider: ModelProvider): string => URL.parse(provider.baseURL)?.host ?? "";
