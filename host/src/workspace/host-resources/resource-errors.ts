/**
 * Every "no" of the extension: one code, one message and one form of data for each. What was asked is repeated in the data,
 * cut where it is longer than any that could be served.
 */
import { askError, type AskAnswer } from "../../kernel/ask.ts";
import type { Refusal } from "../../kernel/refusal.ts";

const MAX_REPEATED = 2_048;
const SUPPORTED = ["files"];
const INVALID_PARAMS = -32602;
/** As every refusal that has no number of its own. */
const REFUSED = 1403;

export const cut = (text: string): string => text.slice(0, MAX_REPEATED);

/** The same whether it never was, is another workspace's or cannot be read: nothing may be told from it. */
export const fileNotFound = (uri: string): AskAnswer =>
  askError(-32002, "There is no such file in this workspace; ai.nimblebrain/resources/list names those there are.", {
    uri: cut(uri),
  });

export const rateLimited = (retryAfterMs: number): AskAnswer =>
  askError(-32004, "Too many requests; ask again after data.retryAfterMs milliseconds.", { retryAfterMs });

export const fileTooLarge = (uri: string, size: number, maxSize: number): AskAnswer =>
  askError(-32005, "The file is larger than data.maxSize; hostResources.maxReadBytes of the host sets that limit.", {
    uri: cut(uri),
    size,
    maxSize,
  });

const SCHEME_NOT_OFFERED = "This scheme is not offered; use one of data.supported.";

export const uriSchemeNotOffered = (uri: string): AskAnswer =>
  askError(INVALID_PARAMS, SCHEME_NOT_OFFERED, { uri: cut(uri), supported: SUPPORTED });

export const schemeNotOffered = (scheme: string): AskAnswer =>
  askError(INVALID_PARAMS, SCHEME_NOT_OFFERED, { scheme: cut(scheme), supported: SUPPORTED });

export const wrongType = (param: string, received: unknown): AskAnswer =>
  askError(INVALID_PARAMS, "A parameter is missing or of the wrong type; data.param names it.", {
    param,
    receivedType: typeName(received),
  });

export const cursorGiven = (cursor: string): AskAnswer =>
  askError(INVALID_PARAMS, "Lists come whole, so there is no cursor to go on from; leave it out.", {
    cursor: cut(cursor),
  });

export const filterGivenTwice = (): AskAnswer =>
  askError(INVALID_PARAMS, "The filter is given twice with different values; give it once, in _meta.filter.", {
    param: "filter",
  });

export const unknownParam = (param: string): AskAnswer =>
  askError(INVALID_PARAMS, "A parameter is not known, so it would filter nothing; data.param names it.", {
    param: cut(param),
  });

export const policyDenied = ({ kind, message, next, details }: Refusal): AskAnswer =>
  askError(REFUSED, `${message} ${next}`, { kind, next, details });

/** Without a record nothing is given out. */
export const unrecorded = (): AskAnswer =>
  askError(-32000, "The request could not be recorded, so nothing is given out; ask again when the host can record.");

export const internalError = (): AskAnswer =>
  askError(-32603, "The host failed at this request; its log says how. Repeating it may not help.");

const typeName = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};
