import { expect } from "vitest";
import type { Api } from "./api.ts";

/** The serial numbers of a mount whose issuing and revocation were acknowledged. */
export interface Acknowledged {
  readonly issued: Set<string>;
  readonly revoked: Set<string>;
}

/** Returns the partitions of a mount, and the progress of its growth. */
export const partitionsOf = async (api: Api, mount: string) =>
  (await api("GET", `sys/mounts/${mount}/partitions`)).data as unknown as {
    readonly count: number;
    readonly growth?: { readonly moved: number };
  };
/** Returns the serial numbers of all certificates of a mount. */
export const listed = async (api: Api, mount: string): Promise<readonly string[]> =>
  (await api("GET", `${mount}/certs?list=true`)).data.keys ?? [];

/** Issues certificates concurrently. */
export async function issueMany(
  api: Api,
  mount: string,
  count: number,
): Promise<readonly string[]> {
  const issuing = Array.from({ length: count }, async () => {
    const { status, text, data } = await api("POST", `${mount}/issue/web`, {
      common_name: "a.example.com",
    });
    expect(status, text).toBe(200);
    return data["serial_number"] ?? "";
  });
  return Promise.all(issuing);
}

/**
 * Issues, revokes and lists until the server is killed. Returns the calls that failed before the
 * kill, and certificates that a listing lacked.
 */
export async function useUntilKilled(
  api: Api,
  mount: string,
  { issued, revoked }: Acknowledged,
  isKilled: () => boolean,
): Promise<readonly string[]> {
  const failures: string[] = [];
  let turn = 0;
  const succeeded = (what: string, { status, text }: { status: number; text: string }): boolean => {
    if (status !== 200 && !isKilled()) failures.push(`${what}: ${status} ${text}`);
    return status === 200;
  };
  for (;;)
    try {
      const issuing = await api("POST", `${mount}/issue/web`, { common_name: "a.example.com" });
      if (succeeded("issue", issuing)) issued.add(issuing.data["serial_number"] ?? "");
      const serial_number = [...issued][(turn += 7) % issued.size] ?? "";
      if (succeeded("revoke", await api("POST", `${mount}/revoke`, { serial_number })))
        revoked.add(serial_number);
      const known = [...issued];
      const listing = await api("GET", `${mount}/certs?list=true`);
      if (!succeeded("list", listing)) continue;
      const keys = new Set(listing.data.keys);
      failures.push(...known.filter((serial) => !keys.has(serial)));
    } catch {
      return failures;
    }
}
/**
 * Resolves to true once a growth is moving rows, starting one if none is running. Resolves to false
 * if the mount already has `maxCount` partitions.
 */
export async function whileMoving(api: Api, mount: string, maxCount: number): Promise<boolean> {
  for (;;) {
    const { count, growth } = await partitionsOf(api, mount);
    if (growth && growth.moved > 0) return true;
    if (growth) continue;
    if (count >= maxCount) return false;
    const { status, text } = await api("POST", `sys/mounts/${mount}/partitions`, {
      count: count * 4,
    });
    expect(status, text).toBe(204);
  }
}

/** Asserts that a listing contains each acknowledged certificate, and no duplicates. */
export async function checkListed(
  api: Api,
  mount: string,
  { issued }: Acknowledged,
): Promise<readonly string[]> {
  const keys = await listed(api, mount);
  expect(keys.length).toBe(new Set(keys).size);
  expect(keys).toEqual(expect.arrayContaining([...issued]));
  return keys;
}
/** Asserts that each acknowledged revocation is stored. */
export async function checkRevoked(
  api: Api,
  mount: string,
  { revoked }: Acknowledged,
): Promise<void> {
  for (const serial of revoked) {
    const { data } = await api("GET", `${mount}/cert/${serial}`);
    expect(Number(data["revocation_time"])).toBeGreaterThan(0);
  }
}
