/** The name that an ed25519 key has by itself: `did:key:z` and base58btc of `ed 01` and its 32 bytes. */
const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Begins with `ed`, so it has no leading zero that base58 would have to keep. */
export const didKeyOf = (publicKey: string): string => {
  let rest = BigInt(`0xed01${Buffer.from(publicKey, "base64").toString("hex")}`);
  let text = "";
  for (; rest > 0n; rest /= 58n) text = ALPHABET[Number(rest % 58n)]! + text;
  return `did:key:z${text}`;
};
