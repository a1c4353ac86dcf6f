/** What a server wants of a request that it refused, as its `WWW-Authenticate` says. */
export interface Demand {
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
  readonly error?: string | undefined;
}

const MAX_LENGTH = 8_192;

export const readChallenge = async (header: string | null): Promise<Demand> => {
  if (header === null || header.length > MAX_LENGTH) return {};
  const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
  return extractWWWAuthenticateParams(new Response(null, { status: 401, headers: { "www-authenticate": header } }));
};
