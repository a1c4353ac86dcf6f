/** What the call path needs to govern calls where nothing is configured and nothing is kept. */
import { NO_ROOTS } from "../kernel/roots-for-tests.ts";
import { signerOf } from "../kernel/signing.ts";
import type { CallOptions } from "./create-call-path.ts";
import type { PolicyConfig } from "./policy/overlays.ts";

const UNCONFIGURED = {
  mode: "enforce",
  shipped: true,
  rules: [],
  guardrails: [],
  capabilities: {},
  classifications: ["public", "internal", "confidential", "restricted"],
} as const;

/** Readable by everybody: no test looks at what is sealed here. */
const PLAIN_SEALS: CallOptions["seals"] = {
  seal: (purpose, plain) => `bw1.${purpose}.${Buffer.from(plain).toString("base64url")}`,
  unseal: (purpose, sealed) => {
    const [, of, text = ""] = sealed.split(".");
    return of === purpose ? Buffer.from(text, "base64url").toString() : null;
  },
  secret: (purpose) => purpose,
};

type Governance = Pick<
  CallOptions,
  | "policy"
  | "capabilities"
  | "roots"
  | "retains"
  | "mandates"
  | "state"
  | "seals"
  | "approvals"
  | "prepare"
  | "lifecycleChanged"
>;

export const ungoverned = (policy: Partial<PolicyConfig> = {}): Governance => ({
  policy: { host: { ...UNCONFIGURED, ...policy } },
  capabilities: { declared: [], require: {}, providers: {} },
  roots: NO_ROOTS,
  mandates: {
    mandates: { principals: "pinned", delegateBinding: "key" },
    mandatePrincipals: [],
    delegates: {},
    isRevoked: () => false,
  },
  state: { entries: () => [], reply: () => null },
  seals: PLAIN_SEALS,
  approvals: {
    hostId: "h",
    signer: () => signerOf(Buffer.alloc(32, 1)),
    approverKeys: () => [],
    classifications: () => UNCONFIGURED.classifications,
  },
  retains: () => false,
  prepare: () => Promise.resolve(),
  lifecycleChanged: () => {},
});
