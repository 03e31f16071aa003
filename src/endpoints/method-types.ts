import type { Method } from "../engine/methods.ts";
import type { MountEndpoints } from "../wire/endpoint.ts";
import type { loginTypes } from "./logins.ts";

const type = (name: keyof typeof loginTypes): MountEndpoints<Method> => ({
  endpoints: [],
  loadMore: async () => (await import("./rest.ts")).loginTypes[name],
});

/** The types of login methods: loaded when one of them is first asked. */
export const methodTypes = {
  approle: type("approle"),
  jwt: type("jwt"),
  oidc: type("oidc"),
  kubernetes: type("kubernetes"),
  cert: type("cert"),
  userpass: type("userpass"),
} as const satisfies Readonly<Record<keyof typeof loginTypes, unknown>>;
