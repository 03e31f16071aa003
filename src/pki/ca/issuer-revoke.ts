import { type Snapshot, withValue } from "../../engine/snapshot.ts";
import { issuersConfig } from "../rows/settings.ts";
import { issuersById, keys, type IssuerRow, type RevokedRow } from "../rows/records.ts";
import { equalBytes } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import { isAtHome } from "../../engine/placement.ts";
import type { MountIndex } from "../../base/mount-indexes.ts";
import { withEvents } from "../../events/raise.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { revokedEvents } from "../issuer/certificate-events.ts";
import { isSelfSigned } from "../issuer/signed-by.ts";
import { certificateOf, getIssuer } from "../issuer/issuer.ts";
import { storedRow } from "../issuer/stored-certificate.ts";
import { configureCrls } from "../crl/crl-schedule.ts";
import { revokedIndex } from "../revoke/revocation.ts";
import { crlSets } from "../crl/crl-set.ts";
import type { IssuerCase } from "./issuer-change.ts";
import { issuerOutput, issuerReply } from "./issuers.ts";
import { listRevokedIssuer, crlIdsOf, parentSets } from "./revoked-issuers.ts";

export const revokeIssuer = endpoint({
  id: "revokeIssuer",
  audits: { always: true },
  at: ["POST /issuer/:issuer_ref/revoke"],
  access: "token",
  style: envelope,
  doc: "Revokes an issuer. It can no longer issue certificates, and is listed on the CRLs of the issuers in this mount that signed it. This cannot be undone.",
  body: {},
  reply: issuerReply,
  refuses: ["unknown_issuer"],
  run: async (mount, input, caller) => {
    const { reply, row } = await configureCrls(mount, caller, (config, caller) =>
      revoked({ mount, config, caller }, getIssuer(config, input.issuer_ref)),
    );
    if (row && !isAtHome(mount.store, row[0])) await mount.storeContext.commit({ put: [row] });
    return reply;
  },
});

async function revoked(it: IssuerCase, row: IssuerRow) {
  const { mount, config } = it;
  if (row.revoked !== undefined) {
    // completes a revocation that was interrupted between the commits to two partitions
    const missing = await missingRow(mount, config, row, row.revoked);
    return { reply: { reply: issuerOutput(config, row), row: missing }, crlIds: [] };
  }
  const now = mount.ports.now();
  const usage = row.usage.filter((one) => one !== "issuing-certificates");
  const next: IssuerRow = { ...row, revoked: now, usage };
  const parents = await parentSets(config, row);
  await warn(it, row, parents);
  const listings = await Promise.all(
    parents.map((set) => listRevokedIssuer(mount, config, row, { set, at: now })),
  );
  const first = parents[0] === undefined ? undefined : { set: parents[0], ...listings[0] };
  const shown = withValue(
    config,
    issuersById,
    new Map([...config.get(issuersById), [row.id, next] as const]),
  );
  const { id: issuer, der } = row;
  const events = await revokedEvents(mount, config, [{ cert: { der, issuer, role: "" }, at: now }]);
  const stored = await revocationRow(mount, row, now, first);
  const change = {
    reply: { reply: issuerOutput(shown, next), row: stored },
    crlIds: [...new Set([...crlSets(config), ...listings.flatMap(crlIdsOf)])],
    batch: {
      put: [
        [keys.issuer(row.id), next] as const,
        ...(stored && isAtHome(mount.store, stored[0]) ? [stored] : []),
        ...listings.flatMap(({ put }) => put),
      ],
      append: listings.flatMap(({ append }) => append),
    },
    done: () => mount.ports.meter?.count("revoked", [mount.name]),
  };
  return withEvents(change, events);
}

async function warn(
  { config, caller }: IssuerCase,
  row: IssuerRow,
  parents: readonly string[],
): Promise<void> {
  if (await isSelfSigned(certificateOf(row)))
    caller.reply.warn(
      "This issuer is a self-signed (potentially root) certificate. This means it may not be considered revoked if there is not an external, cross-signed variant of this certificate.",
    );
  if (parents.length === 0)
    caller.reply.warn(
      "This issuer lacks another parent issuer within the mount. This means it will not appear on any CRL of this mount.",
    );
  if (config.get(issuersConfig).default === row.id)
    caller.reply.warn(
      "This issuer is currently configured as the default issuer for this mount; operations such as certificate issuance may not work until a new default issuer is selected.",
    );
}

type RevocationEntry = readonly [key: string, row: RevokedRow, index: MountIndex];
/**
 * Returns the revocation row for a revoked issuer if the certificate is stored in a different
 * partition and the row is missing there.
 */
async function missingRow(
  mount: Mount,
  config: Snapshot,
  row: IssuerRow,
  at: number,
): Promise<RevocationEntry | undefined> {
  const key = keys.revoked(certificateOf(row).serial);
  if (isAtHome(mount.store, key)) return undefined;
  const [stored] = await mount.store.get([key]);
  if (stored) return undefined;
  const [set] = await parentSets(config, row);
  const first =
    set === undefined ? undefined : await listRevokedIssuer(mount, config, row, { set, at });
  return revocationRow(mount, row, at, set === undefined ? undefined : { set, ...first });
}

/**
 * Returns the revocation row for an issuer whose certificate is also among the stored certificates,
 * so that lookups of the certificate show it as revoked. Returns undefined for any other issuer.
 */
async function revocationRow(
  mount: Mount,
  row: IssuerRow,
  at: number,
  on: { readonly set: string; readonly shard?: string | undefined } | undefined,
): Promise<RevocationEntry | undefined> {
  const { serial, notAfter } = certificateOf(row);
  const stored = await storedRow(mount, serial);
  if (!stored || !equalBytes(stored.value.der, row.der)) return undefined;
  const revoked: RevokedRow = {
    at,
    issuer: stored.value.issuer,
    crl_set: on?.set ?? stored.value.crl_set,
    not_after: notAfter,
    ...(on === undefined ? { unlisted: true } : {}),
    ...(on?.shard === undefined ? {} : { shard: on.shard }),
  };
  return [keys.revoked(serial), revoked, revokedIndex(revoked, notAfter)];
}
