import { withValue } from "../../engine/snapshot.ts";
import { issuersById, rowPrefixes, type IssuerRow, storedPki } from "../rows/records.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { getIssuer } from "../issuer/issuer.ts";
import { checkIssuerName, issuerRows } from "../issuer/new-issuer.ts";
import {
  changedIssuer,
  type RequestedChange,
  type IssuerCase,
  maxRolesNamed,
  rolesNaming,
} from "./issuer-change.ts";
import { clearedIssuerFields, issuerFields } from "./issuer-fields.ts";
import { issuerOutput, issuerReply, warnOfPss } from "./issuers.ts";

const declared = {
  access: "token",
  style: envelope,
  body: issuerFields,
  reply: issuerReply,
  refuses: ["unknown_issuer", "malformed", "already_exists"],
} as const;

export const writeIssuer = endpoint({
  ...declared,
  id: "writeIssuer",
  at: ["POST /issuer/:issuer_ref"],
  doc: "Sets all writable fields of an issuer. Omitted fields are reset to their defaults.",
  run: (mount, { issuer_ref, ...input }, caller) =>
    mount.configureFor(
      caller,
      (config, caller) => {
        const row = getIssuer(config, issuer_ref);
        const { issuer_name: name = "", ...rest } = input;
        // an empty name is rejected, and an absent name resets the field
        const sent = caller.sentFields.has("issuer_name");
        const issuer_name = sent ? checkIssuerName(config, name, row.id) : "";
        const changes = { ...clearedIssuerFields, ...defined(rest), issuer_name };
        return saved({ mount, config, caller }, row, changes);
      },
      { exact: true },
    ),
});

export const patchIssuer = endpoint({
  ...declared,
  id: "patchIssuer",
  at: ["PATCH /issuer/:issuer_ref"],
  doc: "Updates an issuer. Omitted fields keep their values.",
  run: (mount, { issuer_ref, ...input }, caller) =>
    mount.configureFor(
      caller,
      (config, caller) => {
        const row = getIssuer(config, issuer_ref);
        const name = input.issuer_name?.trim();
        const issuer_name = name ? checkIssuerName(config, name, row.id) : name;
        return saved({ mount, config, caller }, row, { ...input, issuer_name });
      },
      { exact: true },
    ),
});

const defined = <T extends object>(input: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  ) as Partial<T>;

async function saved(it: IssuerCase, row: IssuerRow, changes: RequestedChange) {
  const { mount, config, caller } = it;
  const next = changedIssuer(it, row, changes);
  const rows = await issuerRows(mount, config, [next]);
  warnOfPss(next, caller);
  if (next.name !== row.name) {
    const roles = await rolesNaming(mount, row.name);
    if (roles.length >= maxRolesNamed)
      caller.reply.warn(`The name ${row.name} was in use by at least ${roles.length} roles`);
    else if (roles.length)
      caller.reply.warn(`${roles.length} roles reference ${row.name}: ${roles.join(", ")}`);
  }
  const changed = rows.flatMap(([key, value]) =>
    key.startsWith(rowPrefixes.issuers) ? [storedPki.issuer(value)] : [],
  );
  const issuers = new Map([
    ...config.get(issuersById),
    ...changed.map((one) => [one.id, one] as const),
  ]);
  const shown = issuers.get(row.id) ?? next;
  return {
    reply: issuerOutput(withValue(config, issuersById, issuers), shown),
    batch: { put: rows },
  };
}
