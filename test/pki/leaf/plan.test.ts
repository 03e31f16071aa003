import { describe, expect, it } from "vitest";
import { urlsConfig } from "../../../src/pki/rows/settings.ts";
import type { Snapshot } from "../../../src/engine/snapshot.ts";
import type { SigningIssuer } from "../../../src/pki/issuer/issuer.ts";
import { planFor } from "../../../src/pki/leaf/issuance.ts";
import type { LeafProfile } from "../../../src/pki/leaf/profile.ts";
import { encodeName } from "../../../src/x509/name.ts";
import { commonName } from "../../x509/fixture.ts";
import { keyOf } from "../reading.ts";

const { key } = await keyOf("P-256");
const urls = {
  issuing_certificates: [],
  crl_distribution_points: [],
  delta_crl_distribution_points: [],
  ocsp_servers: [],
};
const issuerOf = () =>
  // no other members of the issuer are read
  ({
    row: { urls, chain: [], enable_aia_url_templating: false },
    publicKey: key,
    signer: { spki: key.spki, platform: true },
    subject: encodeName(commonName("Issuer")),
    keyId: Uint8Array.of(1),
    pathLength: undefined,
  }) as unknown as SigningIssuer;
const configOf = () =>
  ({
    get: (value: unknown) => (value === urlsConfig ? urls : { shards: 0 }),
    issuers: new Map(),
  }) as unknown as Snapshot;
const profileOf = (isRoles = true): LeafProfile => ({
  kind: "leaf",
  keyUsage: ["DigitalSignature"],
  extKeyUsage: [],
  signature: { bits: 0, pss: false },
  isRoles,
});

describe("the issuance plan of a role", () => {
  it("is compiled once for each configuration, role and issuer", () => {
    const [config, issuer, profile] = [configOf(), issuerOf(), profileOf()];
    const plan = planFor(config, issuer, profile);
    expect(planFor(config, issuer, profile)).toBe(plan);
    expect(planFor(configOf(), issuer, profile)).not.toBe(plan);
    expect(planFor(config, issuerOf(), profile)).not.toBe(plan);
    expect(planFor(config, issuer, profileOf())).not.toBe(plan);
    expect(planFor(config, issuer, profile)).toBe(plan);
  });

  it("is compiled for each request if the profile is not the role's", () => {
    const [config, issuer, profile] = [configOf(), issuerOf(), profileOf(false)];
    expect(planFor(config, issuer, profile)).not.toBe(planFor(config, issuer, profile));
  });

  it("is evicted after a thousand others, so that callers cannot fill the memory", () => {
    const [config, issuer, profile] = [configOf(), issuerOf(), profileOf()];
    const plan = planFor(config, issuer, profile);
    for (let i = 0; i < 999; i++) planFor(config, issuer, profileOf());
    expect(planFor(config, issuer, profile)).toBe(plan);
    planFor(config, issuer, profileOf());
    expect(planFor(config, issuer, profile)).not.toBe(plan);
  });

  it("is rejected if every certificate of it would break a rule", () => {
    const profile = { ...profileOf(), keyUsage: ["CertSign"] };
    expect(() => planFor(configOf(), issuerOf(), profile)).toThrow(
      "only a CA may sign certificates or CRLs (4.2.1.3)",
    );
  });
});
