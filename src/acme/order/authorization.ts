import { rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { acmeKeys, type AuthzRow, storedAcme } from "../rows/records.ts";
import { challengeObject } from "../protocol/challenge-object.ts";
import { acmeEndpoint } from "../protocol/endpoint.ts";
import { acmePaths } from "../protocol/paths.ts";
import { authorizationWithin, readBinding } from "./binding.ts";
import { authorizationReply } from "./fields.ts";
import { beginDue } from "../validation/begin-due.ts";
import { findChallengeType } from "../validation/challenge-table.ts";
import { closeOrder } from "../validation/failed-orders.ts";
import { authorizationPut, ownAuthorization, type StoredRecord } from "./order-row.ts";
import { waitOf } from "./wait.ts";

export const acmeAuthorization = acmeEndpoint({
  id: "acmeAuthorization",
  at: acmePaths("POST /authorization/:auth_id"),
  doc: "Reads or deactivates an authorization.",
  key: "kid",
  payload: "either",
  reply: authorizationReply,
  reads: ({ params }) => [acmeKeys.authz(params.auth_id)],
  run: async ({ mount, config, directory, account, params, payload, rows: [row], read, now }) => {
    const { url } = directory;
    const owner = { account: account.id, directory: directory.prefix };
    const stored = ownAuthorization(params.auth_id, row, owner);
    const authorization = authorizationWithin(stored, await readBinding(read, account), now);
    if (payload?.["status"] === undefined)
      return {
        reply: authorizationObject(authorization, { config, url, now: mount.ports.now() }),
        headers: waitOf([authorization.row], mount.ports.now()),
        done: () => beginDue(mount, [authorization]),
      };
    if (payload["status"] !== "deactivated")
      throw new CaError(
        "malformed",
        "the only allowed change to an authorization is to deactivate it",
      );
    const changed = { ...authorization, row: deactivated(authorization.row, now) };
    const [order] = await mount.store.get([acmeKeys.order(authorization.row.order)]);
    // closes the order, because it can no longer be finalized
    const closed =
      order &&
      (await closeOrder(mount.store, authorization.row.order, storedAcme.order(order.value)));
    return {
      reply: authorizationObject(changed, { config, url, now: mount.ports.now() }),
      batch: {
        expect: [
          [acmeKeys.authz(authorization.id), authorization.rev],
          [acmeKeys.order(authorization.row.order), order?.rev ?? null],
          ...(closed?.expect ?? []),
        ],
        put: [authorizationPut(authorization.id, changed.row), ...(closed?.put ?? [])],
        del: closed?.del ?? [],
      },
      done: () => {
        if (closed) mount.ports.meter?.count("orders", [mount.name, "invalid"]);
      },
    };
  },
});

/**
 * Returns an authorization object (B 5.10). `url` returns the URL of a path under the directory.
 */
function authorizationObject(
  { id, row }: StoredRecord<AuthzRow>,
  {
    config,
    url,
    now,
  }: {
    readonly config: Snapshot;
    readonly url: (suffix: string) => string;
    /** Current time, Unix milliseconds. */
    readonly now: number;
  },
) {
  return {
    identifier: { ...row.identifier },
    status: row.status,
    ...(row.wildcard ? { wildcard: true } : {}),
    ...(row.status === "valid" ? { expires: rfc3339(row.expires) } : {}),
    challenges: challengesOf(row).map((challenge) => {
      const members = findChallengeType(challenge.type)?.members?.(config);
      return challengeObject(id, challenge, { url, now, members });
    }),
  };
}
/** Returns the challenges to show: all of them, or only the one that decided the authorization. */
function challengesOf({ status, challenges }: AuthzRow): AuthzRow["challenges"] {
  if (status !== "valid" && status !== "invalid") return challenges;
  return challenges.filter((challenge) => challenge.status === status);
}
function deactivated(row: AuthzRow, now: number): AuthzRow {
  if ((row.status !== "pending" && row.status !== "valid") || row.expires <= now)
    throw new CaError("malformed", "the authorization is no longer pending or valid");
  return {
    ...row,
    status: "deactivated",
    challenges: row.challenges.map((challenge) => ({ ...challenge, status: "invalid" })),
  };
}
