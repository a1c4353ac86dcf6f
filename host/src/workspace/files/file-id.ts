/**
 * How a file is named outside: an id that tells nothing, and a URI that holds nothing else. Ids of the older shape
 * `fl_<base36>_<8 hex>` are understood and no longer made.
 */
import { randomSlice } from "../../kernel/make-id.ts";

const SCHEME = "files://";
const FILE_ID = /^fl_(?:[0-9a-f]{24}|[0-9a-z]{1,16}_[0-9a-f]{8})$/;

export const isFileId = (text: string): boolean => FILE_ID.test(text);

export const makeFileId = (): string => `fl_${randomSlice(12).toString("hex")}`;

export const fileUri = (id: string): string => SCHEME + id;

/** What may be an id; empty for a URI of another kind. Schemes compare without case. */
export const idOfUri = (uri: string): string =>
  uri.slice(0, SCHEME.length).toLowerCase() === SCHEME ? uri.slice(SCHEME.length) : "";
