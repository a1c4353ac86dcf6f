/**
 * Stage 5. A tool may require environment capabilities; a call runs only if each of them is declared for its provider. Every
 * call is judged anew, so a change of what is declared counts from the next one.
 */
import type { Requirements } from "../../kernel/environment.ts";
import { advance, type Equipped, type Live } from "../../kernel/stages.ts";
import type { EnvironmentBook } from "./environment-book.ts";
import { invalidDeclaration, missingRefusal } from "./environment-refusals.ts";

export interface EnvironmentOptions {
  readonly book: Pick<EnvironmentBook, "of" | "declaredFor">;
  /** As a flat name is listed where all providers are. */
  readonly listedName: (flatName: string) => string;
}

const NOTHING: Requirements = Object.freeze({ required: Object.freeze([]), missing: Object.freeze([]) });

const requirementsOf = ({ of }: Pick<EnvironmentBook, "of">, { target }: Live): Requirements => {
  const { tool, flatName, provider } = target;
  const found = tool === null ? NOTHING : of(provider.name, tool, flatName);
  if (found === null) throw invalidDeclaration(flatName);
  return found;
};

export const createEnvironment =
  ({ book, listedName }: EnvironmentOptions) =>
  (call: Live): Equipped => {
    const found = requirementsOf(book, call);
    if (found.missing.length > 0)
      throw missingRefusal(nameOf(call, listedName), found, book.declaredFor(call.target.provider.name));
    return advance(call, { required: found.required });
  };

/** The same for calls that are past the gate: what was declared when they began lets them end. */
export const createEnvironmentAgain =
  (book: Pick<EnvironmentBook, "of">) =>
  (call: Live): Equipped =>
    advance(call, { required: requirementsOf(book, call).required });

/** As the endpoint lists it. */
const nameOf = ({ provider, door, target }: Live, listedName: EnvironmentOptions["listedName"]): string => {
  if (provider !== null) return target.name;
  return door === "chp" ? target.capability.id : listedName(target.flatName);
};
