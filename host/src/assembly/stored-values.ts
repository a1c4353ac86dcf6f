/**
 * Values of a bundle's `user_config` that a person stored: sealed, outside the bundle's own folder, one record for each source
 * of a provider. Another that gets the provider's name later has none of them.
 */
import type { TokenStore } from "../kernel/token-store.ts";

export interface ValuesOf {
  readonly tokens: TokenStore;
  readonly workspace: string;
  readonly provider: string;
  /** What the entry of that name is, hashed. */
  readonly source: string;
}

type Values = Readonly<Record<string, unknown>>;

const keyOf = ({ workspace, provider, source }: ValuesOf): readonly string[] => [
  "user-config",
  workspace,
  provider,
  source,
];

export const readValues = (of: ValuesOf): Values => {
  const text = of.tokens.read(keyOf(of));
  return text === null ? {} : (JSON.parse(text) as Values);
};

/** A null takes a value out. Returns the keys that are stored then. */
export const storeValues = (of: ValuesOf, values: Values): readonly string[] => {
  const after = { ...readValues(of), ...values };
  const kept = Object.fromEntries(Object.entries(after).filter(([, value]) => value !== null));
  of.tokens.write(keyOf(of), JSON.stringify(kept));
  return Object.keys(kept);
};

export const forgetValues = (of: ValuesOf): void => of.tokens.remove(keyOf(of));
