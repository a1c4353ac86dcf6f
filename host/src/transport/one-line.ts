/** JSON text on one line. Line breaks in it stand only between tokens, so a blank says the same. */
export const oneLine = (json: string): string =>
  json.includes("\n") || json.includes("\r") ? json.replace(/[\r\n]/g, " ") : json;
