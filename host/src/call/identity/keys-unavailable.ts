/** The issuer's keys could not be had, so no token can be judged now. The message says where it failed, for people. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}
