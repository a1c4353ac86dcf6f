/** Refuses a `url` entry by what its own words already forbid. The addresses it leads to are checked when it is connected. */
import { Refusal } from "../kernel/refusal.ts";
import { checkUrl, type NetworkRules } from "./legs/network-guard.ts";

export const checkEntryUrl = (
  url: string,
  { name, rules }: { readonly name: string; readonly rules: NetworkRules },
): void => {
  try {
    checkUrl(new URL(url), rules);
  } catch (error) {
    throw new Refusal("install_refused", {
      message: `${name} may not be connected to: ${(error as Error).message}.`,
      next: `Correct "url" of the entry "${name}", or the setting that the reason names.`,
    });
  }
};
