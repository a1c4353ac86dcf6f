/** Who may see the arguments and the digest of a call whose data is of some class. */
import { isConfidential, rankOfClass } from "../../kernel/data-class.ts";
import type { Principal } from "../../kernel/principal.ts";

const DEFAULT_CLEARANCE = "internal";

/** `order`: from public to most secret. */
export const maySee = (reader: Principal, label: string | null, order: readonly string[]): boolean =>
  label === null ||
  !isConfidential(label, order) ||
  order.indexOf(reader.clearance ?? DEFAULT_CLEARANCE) >= rankOfClass(label, order);
