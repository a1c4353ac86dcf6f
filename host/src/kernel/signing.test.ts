import { describe, expect, it } from "vitest";
import { isSignedBy, keyIdOf, signerOf } from "./signing.ts";

const SEED = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
const PUBLIC = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";

describe("a signing key", () => {
  it("has the public key and the id that its seed gives it", () => {
    expect(signerOf(SEED)).toMatchObject({ publicKey: PUBLIC, keyId: "56475aa75463474c" });
    expect(keyIdOf(PUBLIC)).toBe("56475aa75463474c");
  });

  it("signs what its public key verifies, and nothing else", () => {
    const signature = signerOf(SEED).sign("text");
    expect(isSignedBy(PUBLIC, "text", signature)).toBe(true);
    expect(isSignedBy(PUBLIC, "text ", signature)).toBe(false);
    expect(isSignedBy(signerOf(Buffer.alloc(32, 7)).publicKey, "text", signature)).toBe(false);
  });

  it.each([null, 7, "", "A", PUBLIC.slice(0, -1), ` ${PUBLIC}`, PUBLIC.replace("/", "_"), `${PUBLIC}AAAA`, {}, []])(
    "is no key, and no signature, when it is %j",
    (odd) => {
      expect(keyIdOf(odd)).toBeNull();
      expect(isSignedBy(odd, "text", signerOf(SEED).sign("text"))).toBe(false);
      expect(isSignedBy(PUBLIC, "text", odd)).toBe(false);
    },
  );
});
