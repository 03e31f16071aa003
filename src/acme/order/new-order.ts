import { parseInstant } from "../../base/duration.ts";
import { CaError, recode } from "../../base/errors.ts";
import { idBeside } from "../../base/slot-ids.ts";
import type { Mount } from "../../engine/mount.ts";
import { acmeEndpoint } from "../protocol/endpoint.ts";
import { anyJson, exactText, exactTime } from "../protocol/fields.ts";
import { acmePaths } from "../protocol/paths.ts";
import { selectionOf } from "../protocol/selection.ts";
import { acmeConfig } from "../rows/config.ts";
import type { AcmeIdentifier, AuthzRow, BindingRow, OrderRow } from "../rows/records.ts";
import { isDeviceType } from "../../x509/device-name.ts";
import { currentBinding, expectLimits, profileWithin } from "./binding.ts";
import { orderReply } from "./fields.ts";
import { readIdentifiers } from "./identifiers.ts";
import { checkEnd } from "./leaf.ts";
import { requireOrderCapacity, unlist } from "./open-orders.ts";
import {
  authorizationPut,
  newAuthorization,
  orderLife,
  orderObject,
  orderPut,
  noteAuthorizations,
} from "./order-row.ts";
import { requireReplaceable } from "./replacement.ts";

export const acmeNewOrder = acmeEndpoint({
  id: "acmeNewOrder",
  at: acmePaths("POST /new-order"),
  doc: "Creates an order for DNS names, IP addresses and devices, and returns the URLs of its authorizations.",
  key: "kid",
  payload: {
    identifiers: anyJson.required("Identifiers to certify, each with `type` and `value`."),
    notBefore: exactTime.optional("Not supported; must be absent."),
    notAfter: exactTime.optional(
      "End of the validity period (notAfter), RFC 3339, within `max_ttl`.",
    ),
    replaces: exactText.optional("ID of the certificate to be replaced (RFC 9773)."),
    profile: exactText.optional("Name of a role: one of the directory's profiles."),
  },
  status: 201,
  reply: orderReply,
  refuses: [
    "unsupported_identifier",
    "rejected_identifier",
    "compound",
    "rate_limited",
    "invalid_profile",
    "already_replaced",
  ],
  run: async ({ mount, config, caller, directory, account, payload, now }) => {
    const binding = await currentBinding((keys) => mount.store.get(keys), { account, caller }, now);
    const profile = profileWithin(binding, payload.profile);
    const { role, external } = await selectionOf(config, directory, profile);
    const { challenge_types: types } = config.get(acmeConfig);
    const identifiers = readIdentifiers(payload.identifiers, {
      role,
      limits: binding?.row,
      attests: types.includes("device-attest-01"),
    });
    const end = endOf(payload, external !== undefined);
    if (end !== undefined) checkEnd({ mount, config, caller }, role, end);
    const owner = { account: account.id, directory: directory.prefix };
    const { replaces } = payload;
    const replaced = await requireReplaceable(mount, replaces, { owner, identifiers });
    const room = await requireOrderCapacity(mount, account, { count: identifiers.length, now });
    const [id, expires] = [idBeside(mount.ports.random, account.id), now + orderLife];
    const authorizations = authorizationsOf(mount, identifiers, {
      of: { ...owner, order: id, expires, types },
      limits: binding?.row,
    });
    const row: OrderRow = {
      ...owner,
      ...(profile === undefined ? {} : { profile }),
      identifiers,
      authorizations: authorizations.map((one) => one.id),
      created: now,
      expires,
      ...(end === undefined ? {} : { not_after: end }),
      status: "pending",
      ...(replaces === undefined ? {} : { replaces }),
    };
    return {
      status: 201,
      headers: { location: directory.url(`/order/${id}`) },
      reply: orderObject({ id, rev: 0, row, authorizations }, now, directory.url),
      batch: {
        expect: [...replaced, ...room.expect, ...expectLimits(mount, account.id, binding)],
        put: [
          ...room.put,
          orderPut(id, row),
          ...authorizations.map((one) => authorizationPut(one.id, one.row)),
        ],
        ...(room.del ? { del: room.del } : {}),
      },
      done: () => noteOrder(mount, id, row),
      ...(room.unlists === undefined ? {} : { after: () => unlist(mount, room.unlists) }),
    };
  },
});

/**
 * Returns the authorizations of a new order, which are valid if the account's binding preauthorizes
 * them.
 */
const authorizationsOf = (
  { ports }: Mount,
  identifiers: readonly AcmeIdentifier[],
  {
    of: { expires, ...of },
    limits,
  }: {
    readonly of: Pick<AuthzRow, "account" | "directory" | "order" | "expires"> & {
      readonly types: readonly string[];
    };
    readonly limits: BindingRow | undefined;
  },
) => {
  return identifiers.map((identifier) => {
    // a binding cannot replace an attestation
    const preauthorized = limits?.preauthorized === true && !isDeviceType(identifier.type);
    const end = preauthorized ? Math.min(expires, limits.expires ?? Infinity) : expires;
    const row = newAuthorization(ports, identifier, { ...of, expires: end, preauthorized });
    return { id: idBeside(ports.random, of.account), rev: 0, row };
  });
};

/**
 * Returns the requested notAfter. Rejects a requested notBefore. Also rejects a requested notAfter
 * in a directory with an external policy, because the policy service sets the validity.
 */
function endOf(
  {
    notBefore,
    notAfter,
  }: { readonly notBefore?: string | undefined; readonly notAfter?: string | undefined },
  isExternal: boolean,
): number | undefined {
  if (notBefore !== undefined)
    throw new CaError("malformed", "notBefore is not supported: omit it");
  const end = notAfter === undefined ? undefined : instantOf(notAfter);
  if (end !== undefined && isExternal)
    throw new CaError(
      "malformed",
      "notAfter is not supported in this directory, because an external policy service sets the expiry: omit it",
    );
  return end;
}
const instantOf = (text: string): number =>
  recode("malformed", () => parseInstant(text), "notAfter: ");

function noteOrder(mount: Mount, id: string, { authorizations }: Pick<OrderRow, "authorizations">) {
  noteAuthorizations(mount, id, authorizations);
  mount.ports.meter?.count("orders", [mount.name, "created"]);
}
