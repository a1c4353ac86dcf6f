/** The origin under which this machine reaches a host: one that listens on every address answers to the loopback name. */
export const dialableOrigin = (origin: string): string =>
  origin.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
