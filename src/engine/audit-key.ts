import { asBytes, toHex, utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { memo } from "../base/memo.ts";
import { sealedAnew, type Resealed } from "./sealing.ts";
import { stored } from "./stored.ts";
import { sysKeys } from "./sys-records.ts";
import type { Unit } from "./unit.ts";

const binding = "sys/audit";
/** Octets of the key. */
const length = 32;

/** The key under which a deployment hashes names for its audit, read once. */
const keyOf = memo(async (sys: Unit): Promise<CryptoKey> => {
  const { vault, random } = sys.ports;
  const secret = await sys.change(async () => {
    const [row] = await sys.store.get([sysKeys.auditKey]);
    const held = row && (await opened(sys, stored.auditKey(row.value).sealed));
    if (held) return { reply: held };
    const drawn = random(length);
    const sealed = await vault.seal(drawn, binding);
    return {
      reply: drawn,
      batch: {
        expect: [[sysKeys.auditKey, row?.rev ?? null]],
        put: [[sysKeys.auditKey, { sealed }]],
      },
    };
  });
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", asBytes(secret), algorithm, false, ["sign"]);
});
/** One that opens no more is replaced: what was hashed under it stays a hash. */
async function opened(sys: Unit, sealed: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return await sys.ports.vault.unseal(sealed, binding);
  } catch (error) {
    if (error instanceof CaError && error.code === "storage") return undefined;
    throw error;
  }
}

/**
 * A name as events tell it: `hmac-sha256:` and hexadecimal digits, the same for the same name
 * within a deployment. `sys`: the unit of what all mounts share.
 */
export async function auditHash(sys: Unit, name: string): Promise<string> {
  const mac = await crypto.subtle.sign("HMAC", await keyOf(sys.self), asBytes(utf8(name)));
  return `hmac-sha256:${toHex(new Uint8Array(mac))}`;
}

/** Seals the key anew under the current sealing key. */
export async function resealAuditKey({ store, ports }: Unit): Promise<Resealed> {
  const [row] = await store.get([sysKeys.auditKey]);
  if (!row) return { resealed: 0, unopened: [] };
  const secret = { sealed: stored.auditKey(row.value).sealed, binding };
  const sealed = await sealedAnew(ports.vault, secret);
  if (!sealed) return { resealed: 0, unopened: ["sys/audit"] };
  await store.commit({
    expect: [[sysKeys.auditKey, row.rev]],
    put: [[sysKeys.auditKey, { sealed }]],
  });
  return { resealed: 1, unopened: [] };
}
