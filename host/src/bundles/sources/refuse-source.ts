/** The refusal of a package that cannot be had, or that must not be used as it came. */
import { Refusal } from "../../kernel/refusal.ts";

export const refuseSource = (message: string, next: string, details: Readonly<Record<string, unknown>> = {}): Refusal =>
  new Refusal("install_refused", { message, next, details });
