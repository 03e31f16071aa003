import { afterEach, expect, it, vi } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import type { Batch, Store } from "../../../src/engine/ports.ts";
import { memoryStore, sealedVault } from "../../../src/index.ts";
import { pkiMounts } from "../../../src/pki/config/mount-type.ts";
import { sealedRows, secretOfRow } from "../../../src/pki/config/sealed-rows.ts";
import { run } from "../../../tools/examples/run.ts";
import { certificate } from "../../net/tls-fixture.ts";
import { authority, type Authority } from "../../support/authority.ts";
import { gathered } from "../../sys/backup/kept.ts";

afterEach(() => vi.restoreAllMocks());

const passphrase = "correct horse battery staple";
const keyOf = (byte: number) => new Uint8Array(32).fill(byte);
const isMount = (store: string): boolean => /^[0-9a-f]{8}-/.test(store);
/** Returns the authentication tag of a ciphertext, with which it can be recognized. */
const tagOf = (sealed: Uint8Array): string => toHex(sealed.subarray(-16));

/** Returns all byte strings in a value. */
function bytesIn(value: unknown): readonly Uint8Array[] {
  if (value instanceof Uint8Array) return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(bytesIn);
}

/** Records the tags of everything that is encrypted with AES-GCM. */
function recordTags(): ReadonlySet<string> {
  const tags = new Set<string>();
  const encrypt = crypto.subtle.encrypt.bind(crypto.subtle);
  vi.spyOn(crypto.subtle, "encrypt").mockImplementation(async (algorithm, key, data) => {
    const sealed = await encrypt(algorithm, key, data);
    tags.add(tagOf(new Uint8Array(sealed)));
    return sealed;
  });
  return tags;
}

/** Returns stores in memory that report the rows that are put into the stores of mounts. */
function reporting(report: (mount: string, key: string, value: unknown) => void) {
  const stores = memoryStore();
  const open = (name: string): Store => {
    const store = stores(name);
    return {
      ...store,
      commit: (batch: Batch) => {
        if (isMount(name)) for (const [key, value] of batch.put ?? []) report(name, key, value);
        return store.commit(batch);
      },
    };
  };
  return Object.assign(open, { durable: false, partitions: true });
}

it("every row of a mount that any endpoint seals something in is in the table of sealed rows", async () => {
  const tags = recordTags();
  const [listed, missing] = [new Set<string>(), new Set<string>()];
  const stores = reporting((mount, key, value) => {
    if (!bytesIn(value).some((bytes) => tags.has(tagOf(bytes)))) return;
    const secret = secretOfRow(mount.slice(0, 36), [key, value]);
    const at = sealedRows.find((one) => key.startsWith(one.at))?.at;
    if (at !== undefined && secret && tags.has(tagOf(secret.sealed))) listed.add(at);
    else missing.add(key);
  });
  await run(undefined, stores);
  expect([...missing]).toEqual([]);
  // the examples configure no client certificate for the policy service
  const all = sealedRows.map(({ at }) => at).filter((at) => at !== "config/external-policy");
  expect([...listed].sort()).toEqual(all.sort());
});

it("the table of sealed rows names only rows of the configuration, which a rotation reads", () => {
  const outside = sealedRows.filter(
    ({ at }) => !pkiMounts.config.prefixes.some((prefix) => at.startsWith(prefix)),
  );
  expect(outside).toEqual([]);
});

/** Creates an authority whose mount has at least one secret of each kind. */
async function withSecrets(stores: ReturnType<typeof memoryStore>): Promise<Authority> {
  const a = authority({ stores, vault: sealedVault({ key: keyOf(1) }) });
  await a.root();
  const client = await certificate({ name: "sealwright" });
  for (const [path, body] of [
    ["issuer/default/ocsp-responder", {}],
    ["config/log", { enabled: true, origin: "ca.test/log" }],
    [
      "config/external-policy",
      { vault_client_cert_bundle: `${client.pem}\n${client.key.pem}`, trusted_ca: "" },
    ],
  ] as const) {
    const { status, text } = await a.call("POST", `pki/${path}`, body);
    if (status >= 300) throw new Error(`${path}: ${text}`);
  }
  return a;
}

/** Returns for each entry of the table how many secrets its rows contain, and how many open. */
async function secretsOf(stores: ReturnType<typeof memoryStore>, mount: string, byte: number) {
  const vault = sealedVault({ key: keyOf(byte) });
  const rows = await stores(mount).list("");
  return Promise.all(
    sealedRows.map(async ({ at }) => {
      const secrets = rows
        .filter(([key]) => key.startsWith(at))
        .flatMap(([key, { value }]) => secretOfRow(mount, [key, value]) ?? []);
      const opened = await Promise.allSettled(
        secrets.map(({ sealed, binding }) => vault.unseal(sealed, binding)),
      );
      const open = opened.filter(({ status }) => status === "fulfilled").length;
      return { at, secrets: secrets.length, open };
    }),
  );
}
const sealedBy = (isOpen: boolean) =>
  sealedRows.map(({ at }) => ({ at, secrets: 1, open: isOpen ? 1 : 0 }));

it("a rotation reseals each row of the table of sealed rows", async () => {
  const stores = memoryStore();
  const a = await withSecrets(stores);
  const { uuid } = await a.sys.readMount({ path: "pki" });
  expect(await secretsOf(stores, uuid, 2)).toEqual(sealedBy(false));
  const vault = sealedVault({ key: keyOf(2), previous: keyOf(1) });
  const { data } = await authority({ stores, seed: 2, vault }).call("POST", "sys/rotate");
  expect(data).not.toHaveProperty("unopened");
  expect(await secretsOf(stores, uuid, 2)).toEqual(sealedBy(true));
});

it("a backup with a passphrase carries each row of the table of sealed rows to another sealing key", async () => {
  const a = await withSecrets(memoryStore());
  const { uuid } = await a.sys.readMount({ path: "pki" });
  const parts = await gathered(a.ca.backup("pki", { passphrase }));
  const stores = memoryStore();
  const other = authority({ stores, seed: 2, vault: sealedVault({ key: keyOf(9) }) });
  await other.sys.deleteMount({ path: "pki" });
  await other.ca.restore("pki", parts, { passphrase });
  expect(await secretsOf(stores, uuid, 1)).toEqual(sealedBy(false));
  expect(await secretsOf(stores, uuid, 9)).toEqual(sealedBy(true));
});
