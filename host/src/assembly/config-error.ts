/** The configuration cannot be used. The message is what a person reads: one headline, then one line per error. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
