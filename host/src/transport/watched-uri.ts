/** How long a URI may be that the host remembers for as long as somebody wants to hear of it. */
export const MAX_URI_BYTES = 8192;

export const isLongUri = (uri: string): boolean => Buffer.byteLength(uri) > MAX_URI_BYTES;
