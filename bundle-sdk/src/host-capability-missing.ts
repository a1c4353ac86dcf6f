/** The host does not offer what was asked of it. Nothing was sent. */
export class HostCapabilityMissing extends Error {
  readonly capabilityKey: string;

  constructor(capabilityKey: string, operation: string) {
    super(
      `This host doesn't support ${operation} of ${capabilityKey}. Test for it first, and take the content as an argument where it is missing.`,
    );
    this.name = "HostCapabilityMissing";
    this.capabilityKey = capabilityKey;
  }
}
