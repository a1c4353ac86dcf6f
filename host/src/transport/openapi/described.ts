/** How one route is described, beside the code that answers it; a test holds the two tables together. */
import { REFUSALS, type RefusalKind } from "../../kernel/refusals.ts";
import type { Schema } from "./schema.ts";

export interface DescribedAnswer {
  /** Default: 200. */
  readonly status?: number;
  readonly text: string;
  /** Absent: it has no body. */
  readonly schema?: Schema;
  /** Default: `application/json`. */
  readonly type?: string;
}

export interface Described {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** What stands where the route has a `*` or `**`, in that order. */
  readonly at?: readonly string[];
  readonly query?: Readonly<Record<string, Schema>>;
  readonly headers?: Readonly<Record<string, Schema>>;
  readonly body?: { readonly schema: Schema; readonly isOptional?: true; readonly type?: string };
  readonly answers: readonly DescribedAnswer[];
  /** Beside those that every route has. */
  readonly refusals?: readonly RefusalKind[];
  /** Whether it answers without a credential: always, or with less. */
  readonly open?: true;
}

/** Routes that belong together, by the keys of the table of routes, and the schemas that they share. */
export interface Family {
  readonly tag: string;
  readonly routes: Readonly<Record<string, Described>>;
  readonly schemas?: Readonly<Record<string, Schema>>;
}

/** All that the one call path may say. */
export const OF_A_CALL: readonly RefusalKind[] = (Object.keys(REFUSALS) as RefusalKind[]).filter(
  (kind) => REFUSALS[kind].chp !== "",
);
