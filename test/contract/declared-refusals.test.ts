import { describe, expect, it } from "vitest";
import { pki } from "../../src/endpoints/all.ts";
import { encodePem } from "../../src/base/pem.ts";
import { authority } from "../support/authority.ts";

const patch = { header: { "content-type": "application/merge-patch+json" } };
const rootPaths = [
  "root/generate/internal",
  "root/generate/exported",
  "root/generate/existing",
  "root/rotate/internal",
  "root/rotate/exported",
  "root/rotate/existing",
];
const requestPaths = [
  "intermediate/generate/internal",
  "intermediate/generate/exported",
  "intermediate/generate/existing",
  "intermediate/cross-sign",
];
const importPaths = [
  "config/ca",
  "issuers/import/bundle",
  "issuers/import/cert",
  "intermediate/set-signed",
];
const garbage = (label: string) => encodePem(label, new Uint8Array(80).fill(0x30));

/** Sends calls that must fail, and returns the logged refusals by endpoint. */
async function refusedBy(
  calls: readonly (readonly [method: string, path: string, body?: object])[],
) {
  const a = authority();
  await a.root({ key_name: "taken" });
  a.events.length = 0;
  for (const [method, path, body] of calls) {
    const { status } = await a.call(method, `pki/${path}`, body, method === "PATCH" ? patch : {});
    expect([method, path, body, status]).toEqual([method, path, body, 400]);
  }
  const found = new Map<string, Set<string>>();
  for (const { endpoint, refusal } of a.events)
    if (refusal !== undefined) found.set(endpoint, (found.get(endpoint) ?? new Set()).add(refusal));
  return Object.fromEntries([...found].map(([id, codes]) => [id, [...codes].toSorted()]));
}
const declared = (...ids: readonly string[]) =>
  Object.fromEntries(
    pki
      .filter(({ id }) => ids.includes(id))
      .map(({ id, refuses }) => [id, [...(refuses ?? [])].toSorted()]),
  );

describe("declared refusals are exactly those", () => {
  it("of root generation", async () => {
    const bodies = (path: string): readonly object[] => {
      const quick = path.endsWith("existing") ? {} : { key_type: "ec" };
      const shared = [
        { ...quick, max_path_length: "x" },
        { ...quick, format: "x" },
        { ...quick, issuer_name: "root" },
        { ...quick, alt_names: "a_b.test" },
        { ...quick, not_before_duration: "2000000h" },
        { ...quick, ttl: "1h", not_after: "2031-01-01T00:00:00Z" },
      ];
      return path.endsWith("existing")
        ? [...shared, { signature_bits: 1 }]
        : [...shared, { key_type: "rsa", signature_bits: 1 }];
    };
    const ids = [
      "generateRoot",
      "generateExportedRoot",
      "generateRootFromKey",
      "rotateRoot",
      "rotateExportedRoot",
      "rotateRootFromKey",
    ];
    expect(
      await refusedBy(
        rootPaths.flatMap((path) => bodies(path).map((body) => ["POST", path, body] as const)),
      ),
    ).toEqual(declared(...ids));
  });

  it("of intermediate CSR generation", async () => {
    const bodies = (path: string): readonly object[] => {
      const existing = path.endsWith("existing") || path.endsWith("sign");
      const quick = existing ? {} : { key_type: "ec" };
      const shared = [
        { ...quick, common_name: [] },
        { ...quick, format: "x" },
        { ...quick, alt_names: "a_b.test" },
        { ...quick, not_after: "2001-01-01T00:00:00Z" },
      ];
      return existing
        ? [...shared, { signature_bits: 1 }]
        : [...shared, { key_type: "rsa", signature_bits: 1 }, { ...quick, key_name: "taken" }];
    };
    const ids = [
      "generateIntermediate",
      "generateExportedIntermediate",
      "generateIntermediateFromKey",
    ];
    expect(
      await refusedBy(
        requestPaths.flatMap((path) => bodies(path).map((body) => ["POST", path, body] as const)),
      ),
    ).toEqual(declared(...ids));
  });

  it("of imports", async () => {
    const calls = importPaths.flatMap((path) => [
      ["POST", path, {}] as const,
      ["POST", path, { certificate: garbage("CERTIFICATE") }] as const,
      ["POST", path, { certificate: garbage("PRIVATE KEY") }] as const,
    ]);
    expect(await refusedBy(calls)).toEqual(
      declared("importBundle", "importCertificates", "setSigned"),
    );
  });

  it("of issuers, their CRLs and the defaults", async () => {
    const calls = (["POST", "PATCH"] as const).flatMap((method) => [
      [method, "issuer/none", {}] as const,
      [method, "issuer/root", { usage: "x" }] as const,
    ]);
    const a = authority();
    await a.root();
    const two = await a.root({ issuer_name: "two" });
    for (const method of ["POST", "PATCH"]) {
      const { status } = await a.call(
        method,
        `pki/issuer/${two.issuer_id}`,
        { issuer_name: "root" },
        method === "PATCH" ? patch : {},
      );
      expect(status).toBe(400);
    }
    expect(a.events.slice(-2).map(({ refusal }) => refusal)).toEqual([
      "already_exists",
      "already_exists",
    ]);
    await a.pki.patchIssuer({ issuer_ref: "two", usage: "issuing-certificates" });
    for (const path of ["resign-crls", "sign-revocation-list"])
      expect((await a.call("POST", `pki/issuer/two/${path}`, {})).status).toBe(400);
    expect(a.events.slice(-2).map(({ refusal }) => refusal)).toEqual([
      "unusable_issuer",
      "unusable_issuer",
    ]);
    const rest = [
      "issuer/none/revoke",
      "issuer/none/resign-crls",
      "issuer/none/sign-revocation-list",
      "config/issuers",
      "root/replace",
    ];
    const found = await refusedBy([...calls, ...rest.map((path) => ["POST", path, {}] as const)]);
    const also = {
      writeIssuer: ["already_exists"],
      patchIssuer: ["already_exists"],
      resignCrls: ["unusable_issuer"],
      signRevocationList: ["unusable_issuer"],
    };
    const whole = Object.fromEntries(
      Object.entries(found).map(([id, codes]) => [
        id,
        [...codes, ...(Object.entries(also).find(([name]) => name === id)?.[1] ?? [])].toSorted(),
      ]),
    );
    expect(whole).toEqual(
      declared(
        "writeIssuer",
        "patchIssuer",
        "revokeIssuer",
        "resignCrls",
        "signRevocationList",
        "writeIssuersConfig",
        "replaceRoot",
      ),
    );
  });
});
