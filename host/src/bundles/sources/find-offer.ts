/** Asks registries in their order for a name. The first that has it decides. */
import { describeFailure } from "../legs/http-failure.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { refuseSource } from "./refuse-source.ts";
import type { Offer, Registry, Wanted } from "./registry.ts";

export interface FoundOffer {
  /** Label of the registry. */
  readonly registry: string;
  readonly offer: Offer;
}

export const findOffer = async (
  wanted: Wanted,
  registries: readonly Registry[],
  signal: AbortSignal,
): Promise<FoundOffer> => {
  for (const registry of registries) {
    try {
      const offer = await registry.find(wanted, signal);
      if (offer !== null) return { registry: registry.label, offer };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Refusal) throw error;
      throw refuseUnreachable(wanted, registry.label, { error, last: registry === registries.at(-1) });
    }
  }
  throw refuseUnknown(wanted, registries);
};

const refuseUnreachable = (
  { name }: Wanted,
  label: string,
  { error, last }: { readonly error: unknown; readonly last: boolean },
): Refusal =>
  refuseSource(
    `${name} was not found: the registry ${label} could not be asked (${describeFailure(error)})` +
      (last ? "." : ", and a registry behind it is not asked in its place."),
    "Try again when it can be reached, or take it out of `registries` in the configuration.",
    { registry: label },
  );

const refuseUnknown = ({ name, version }: Wanted, registries: readonly Registry[]): Refusal =>
  registries.length === 0
    ? refuseSource(`${name} was not found: no registry is configured.`, "Add one to `registries` in the configuration.")
    : refuseSource(
        `${name}${version === null ? "" : ` ${version}`} was not found in ${registries.map(({ label }) => label).join(", ")}.`,
        version === null
          ? `Look for the right name: bailiwick bundle search ${name.split("/").at(-1) ?? name}`
          : "Correct the name or the version, or leave the version out for the newest.",
        { registries: registries.map(({ label }) => label) },
      );
