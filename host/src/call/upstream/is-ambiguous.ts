/**
 * True when two parsers could read a question differently: a member that stands twice, or nesting beyond measure. Such a
 * question is not put to anybody, since what was checked might not be what is shown.
 */
import { findJsonDefect } from "../../kernel/scan-json.ts";

const WALK = { maxDepth: 64, numbers: false } as const;

export const isAmbiguous = (text: string): boolean => findJsonDefect(text, WALK) !== null;
