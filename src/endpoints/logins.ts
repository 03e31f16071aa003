import { approleMethod as approle } from "../auth/approle/endpoints.ts";
import { certMethod as cert } from "../auth/cert/endpoints.ts";
import { jwtMethod as jwt } from "../auth/jwt/endpoints.ts";
import { kubernetesMethod as kubernetes } from "../auth/kubernetes/endpoints.ts";
import type { LoginType } from "../auth/types/table.ts";
import { userpassMethod as userpass } from "../auth/userpass/endpoints.ts";
import type { Method } from "../auth/rows/methods.ts";
import type { AnyEndpoint } from "../wire/endpoint.ts";
import type { EndpointList } from "../wire/endpoint-list.ts";

/** The types of login methods, with their endpoints and path parameters. */
export const loginTypes = {
  approle,
  jwt,
  oidc: jwt,
  kubernetes,
  cert,
  userpass,
} as const satisfies Readonly<Record<LoginType, EndpointList<AnyEndpoint<Method>>>>;
