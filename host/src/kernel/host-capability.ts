/** What records are about that are no call's: the host wrote them about itself, or about a run. */
export const HOST_CAPABILITY = "dev.bailiwick.host";
