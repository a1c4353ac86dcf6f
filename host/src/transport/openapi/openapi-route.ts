/** `GET /v1/openapi.json`: made when it is first asked for. */
import type { HostInfo } from "../../kernel/host-info.ts";
import type { RestRoute, RestRoutes } from "../rest-route.ts";

export const createOpenApiRoute = (routes: RestRoutes, info: Pick<HostInfo, "version">): RestRoute => {
  let made: string | null = null;
  return {
    run: async () => {
      // What is said about routes is not needed before somebody asks.
      const { openApiDocument } = await import("./openapi-document.ts");
      made ??= JSON.stringify(openApiDocument(routes.keys(), info));
      return { status: 200, text: made };
    },
  };
};
