import { each } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import type { Identity } from "../../engine/ports.ts";
import { holderOfAccessor, holderOfToken } from "../../auth/token/holder.ts";
import { capabilitiesOf } from "../../policy/index.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { formed, list, lists, secret, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { judgedName } from "./names.ts";

const most = 1000;
const judgedPaths = formed(list, each(judgedPath));
const asked = {
  paths: judgedPaths.optional(
    "Paths below the version prefix: `pki/issue/web`; text is split at commas.",
  ),
  path: judgedPaths.alias("paths"),
} as const;
const shared = {
  access: "token",
  style: envelope,
  hoist: true,
  reply: {},
  whole: lists.required(
    "Capabilities by path, sorted: `root` alone for a root token, `deny` alone where there is none. Those of the only path also as `capabilities`.",
  ),
  refuses: ["malformed"],
} as const;

/** Returns the path that is meant, as policies judge it. */
export function judgedPath(path: string): string {
  const below = path.replace(/^\/?(?:v1\/)?/, "");
  if (below.startsWith("sys/")) return `sys/${judgedName(below.slice(4))}`;
  return below.startsWith("identity/") ? below.toLowerCase() : below;
}
function told(
  identity: Pick<Identity, "policies" | "can">,
  input: {
    readonly paths?: readonly string[] | undefined;
    readonly path?: readonly string[] | undefined;
  },
): Readonly<Record<string, unknown>> {
  const paths = input.paths?.length ? input.paths : (input.path ?? []);
  if (paths.length === 0) throw new CaError("malformed", "paths must be supplied");
  if (paths.length > most) throw new CaError("malformed", `ask for ${most} paths at most`);
  const found = paths.map((path) => [path, capabilitiesOf(identity, judgedPath(path))] as const);
  const [only] = found;
  return Object.fromEntries([
    ...found,
    ...(only && found.length === 1 ? [["capabilities", only[1]]] : []),
  ]);
}
function known(identity: Identity | undefined, what: string): Identity {
  if (!identity) throw new CaError("malformed", `invalid ${what}`);
  return identity;
}

export const capabilitiesSelf = systemEndpoint({
  ...shared,
  id: "capabilitiesSelf",
  audits: { own: true },
  at: ["POST /capabilities-self"],
  doc: "Returns what the caller's token may do on paths.",
  body: asked,
  run: async (_, input, caller) => told(caller, input),
});
export const capabilitiesToken = systemEndpoint({
  ...shared,
  id: "capabilities",
  at: ["POST /capabilities"],
  doc: "Returns what a token may do on paths.",
  body: { token: secret.default("", "The token."), ...asked },
  run: async (ca, { token, ...input }) =>
    told(known(await holderOfToken(ca, token), "token"), input),
});
export const capabilitiesAccessor = systemEndpoint({
  ...shared,
  id: "capabilitiesAccessor",
  at: ["POST /capabilities-accessor"],
  doc: "Returns what the token of an accessor may do on paths.",
  body: { accessor: text.default("", "The accessor."), ...asked },
  run: async (ca, { accessor, ...input }) =>
    told(known(await holderOfAccessor(ca, accessor), "accessor"), input),
});
