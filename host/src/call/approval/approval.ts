/**
 * Stage 8. No rule demands an approval yet, so none is looked for; the fact that none was demanded is part of the call.
 */
import { advance, type Approved, type Valid } from "../../kernel/stages.ts";

export const approval = (call: Valid): Promise<Approved> => Promise.resolve(advance(call, { approval: null }));
