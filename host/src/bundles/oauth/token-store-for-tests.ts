/** A token store without a disk: the sealed one belongs to another room. */
import type { TokenKey, TokenStore } from "../../kernel/token-store.ts";

export const keepInMemory = (): TokenStore => {
  const records = new Map<string, { readonly key: TokenKey; readonly text: string }>();
  return {
    read: (key) => records.get(JSON.stringify(key))?.text ?? null,
    write: (key, text) => void records.set(JSON.stringify(key), { key, text }),
    remove: (key) => void records.delete(JSON.stringify(key)),
    keys: (prefix) =>
      [...records.values()].map(({ key }) => key).filter((key) => prefix.every((part, index) => key[index] === part)),
  };
};
