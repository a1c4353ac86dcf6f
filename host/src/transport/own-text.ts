/**
 * The same text in memory of its own. A slice keeps the whole text that it was cut from, so what outlives its request is
 * copied: a session's few bytes would keep a body of megabytes. Texts from the wire are valid UTF-8 and survive the way
 * through bytes unchanged.
 */
export const ownText = <Text extends string>(text: Text): Text => Buffer.from(text).toString() as Text;
