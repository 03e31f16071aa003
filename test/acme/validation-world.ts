import { expect } from "vitest";
import { acceptChallenge } from "../../src/acme/validation/challenge-state.ts";
import { validationPut } from "../../src/acme/validation/authz-put.ts";
import {
  acmeKeys,
  authzIndex,
  orderIndex,
  type AccountRow,
  type AuthzRow,
  type OrderRow,
  storedAcme,
} from "../../src/acme/rows/records.ts";
import type { ChallengeName } from "../../src/acme/validation/challenge-table.ts";
import { proofOf } from "../../src/acme/validation/proof.ts";
import { Mount } from "../../src/engine/mount.ts";
import type { Connection, Ports, Store } from "../../src/engine/ports.ts";
import { pkiMounts } from "../../src/pki/config/mount-type.ts";
import { StoreContext } from "../../src/engine/store-context.ts";
import { authority, type AuthorityOptions } from "../support/authority.ts";
import { peer } from "../net/streams.ts";

export const thumbprint = "thumbprintthumbprintthumbprintthumbprint123";
const account: AccountRow = {
  jwk: { kty: "EC" },
  thumbprint,
  status: "valid",
  contact: [],
  directory: "acme",
  created: 0,
};

/** Waits until all work that needs no timer has completed. */
export const settle = async (turns = 10): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setTimeout(resolve));
};
/** Waits for a condition. */
export async function until(is: () => Promise<boolean> | boolean): Promise<void> {
  for (let turn = 0; turn < 5000; turn++) {
    if (await is()) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect.fail("the condition was not met in time");
}
/** Returns an HTTP response with this body. */
export const page = (body: string, status = 200): Connection =>
  peer([`HTTP/1.1 ${status} X\r\nContent-Length: ${body.length}\r\n\r\n${body}`]);
/** Returns a connection that never responds. */
export const stalled = (): Connection => peer([], "stalls");

/** Returns a mount over a store that has only these ports. */
export function mountOver(store: Store, ports: Partial<Ports>): Mount {
  // validation uses no other ports
  const all = { stores: () => store, resolve, ...ports } as unknown as Ports;
  const steps = async () => ({ budget: 1, step: async () => undefined });
  return new Mount(new StoreContext(all, "mount", { features: {}, steps }), {
    schema: pkiMounts.config,
    path: async () => "pki",
  });
}

/** Resolves every name to 8.8.4.4, without TXT records. */
const resolve: NonNullable<Ports["resolve"]> = async ({ type }) =>
  type === "A" ? ["8.8.4.4"] : [];

/**
 * Creates an authority with ACME enabled, and functions that store orders with accepted challenges.
 */
export async function acmeWorld(options: AuthorityOptions = {}) {
  const a = authority({ resolve, ...options });
  await a.root();
  await a.call("POST", "pki/config/cluster", { path: "https://ca.example/v1/pki" });
  expect((await a.call("POST", "pki/config/acme", { enabled: true })).status).toBe(200);
  const { uuid } = await a.sys.readMount({ path: "pki" });
  const store = a.stores(uuid);
  const seconds = () => Math.floor(a.clock.now / 1000);
  const newAuthz = (id: string, of: string, type: ChallengeName): AuthzRow => ({
    account: of,
    order: id,
    directory: "acme",
    identifier: { type: "dns", value: `${id}.example` },
    wildcard: false,
    status: "pending",
    expires: seconds() + 86_400,
    challenges: [{ type, token: `token-${id}`.padEnd(28, "x"), status: "pending", attempts: 0 }],
  });
  const order = (of: string, id: string): OrderRow => ({
    account: of,
    directory: "acme",
    identifiers: [],
    authorizations: [id],
    created: seconds(),
    expires: seconds() + 86_400,
    status: "pending",
  });
  return {
    ...a,
    store,
    uuid,
    /** Stores orders of an account, each with one authorization of its id, accepted by default. */
    async order(
      of: string,
      ids: readonly string[],
      type: ChallengeName = "http-01",
      isAccepted = true,
    ) {
      const now = a.clock.now;
      const put = ids.flatMap((id) => {
        const row = newAuthz(id, of, type);
        const changed = isAccepted ? acceptChallenge(row, type, now) : undefined;
        return [
          [
            acmeKeys.order(id),
            order(of, id),
            orderIndex(order(of, id), seconds() + 86_400),
          ] as const,
          ...(changed
            ? validationPut({ id, changed, now })
            : [[acmeKeys.authz(id), row, authzIndex(row.expires)] as const]),
        ];
      });
      await store.commit({ put: [[acmeKeys.account(of), account], ...put] });
    },
    async authz(id: string): Promise<AuthzRow> {
      const [row] = await store.get([acmeKeys.authz(id)]);
      return storedAcme.authz(row?.value);
    },
    /** Returns the key authorization of an authorization. */
    proof: (id: string) => proofOf(`token-${id}`.padEnd(28, "x"), thumbprint),
    /** Returns the due times of the jobs of a kind, Unix milliseconds. */
    async jobs(kind: string): Promise<readonly number[]> {
      const rows = await store.list("job/");
      return rows.flatMap(([key]) => {
        const [, due, of] = key.split("/");
        return of === kind ? [Number(due)] : [];
      });
    },
  };
}
