import { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { setUpAuthority, type AuthorityPlan } from "../../server/cli/authority-setup.ts";
import { requestCertificate } from "../../server/cli/request-certificate.ts";
import type { Connection } from "../../server/cli/connection.ts";
import { domainsLackingIn, fieldsToAllow, findWrongRange } from "../../server/cli/role-domains.ts";
import type { PkiClient } from "../../src/index.ts";
import { defaultRole } from "../../src/pki/leaf/role.ts";
import { authority } from "../support/authority.ts";
import { connectedTo } from "./connected.ts";

const plan: AuthorityPlan = {
  mount: "pki",
  name: undefined,
  role: "server",
  domains: undefined,
  rootMount: undefined,
  program: "npx sealwright",
};
const everything = ["root Sealwright Root CA", "intermediate Sealwright Intermediate CA"];

/** A connection on which one method of the mounts fails. */
const breakingAt = (connection: Connection, method: keyof PkiClient): Connection => ({
  ...connection,
  mount: (path) => ({
    ...connection.mount(path),
    [method]: () => Promise.reject(new Error("killed")),
  }),
});

describe("init", () => {
  it("creates a root, an intermediate and a role, and nothing when it is repeated", async () => {
    const connection = connectedTo(authority().ca);
    const wanted = { ...plan, name: "Corp", domains: ["Corp.example", "10.0.0.1/8", "localhost"] };
    const first = await setUpAuthority(connection, wanted);
    expect(first.created).toEqual([
      "root Corp Root CA",
      "intermediate Corp Intermediate CA",
      "role server",
    ]);
    const again = await setUpAuthority(connection, wanted);
    expect(again).toEqual({ ...first, created: [] });
    expect(await setUpAuthority(connection, plan)).toEqual({ ...first, created: [] });
  });

  it("sets CRL and OCSP URLs in certificates if other machines can reach the server's URL", async () => {
    const { ca } = authority({ publicUrl: "https://ca.corp.example" });
    await ca.pki.writeCluster({ path: "https://ca.corp.example/v1/pki" });
    const { created, warnings } = await setUpAuthority(connectedTo(ca), plan);
    // clients do not fetch CRLs over HTTPS
    expect(created[0]).toBe(
      "CRL and OCSP URLs under http://ca.corp.example/v1/pki, which port 80 must serve",
    );
    expect(warnings).toEqual([]);
    const { issuer_id } = await ca.pki.readIssuer({ issuer_ref: "root" });
    const { certificate } = await ca.pki.readIssuer({ issuer_ref: "intermediate" });
    expect(new X509Certificate(certificate).infoAccess).toContain(
      `http://ca.corp.example/v1/pki/issuer/${issuer_id}/der`,
    );
    expect((await ca.pki.readCluster()).path).toBe("https://ca.corp.example/v1/pki");
  });

  it("keeps an aia_path that differs from the server's URL", async () => {
    const { ca } = authority();
    const aia_path = "http://crl.corp.example:8080/pki";
    await ca.pki.writeCluster({ path: "https://ca.corp.example/v1/pki", aia_path });
    const { created } = await setUpAuthority(connectedTo(ca), plan);
    expect(created[0]).toBe(`CRL and OCSP URLs under ${aia_path}`);
    expect((await ca.pki.readCluster()).aia_path).toBe(aia_path);
  });

  it.each(["http://127.0.0.1:8787/v1/pki", "https://[::1]/v1/pki"])(
    "prints the commands that set the CRL and OCSP URLs if the server's URL is %s",
    async (path) => {
      const { ca } = authority();
      await ca.pki.writeCluster({ path });
      for (const _ of ["first", "again"]) {
        const { warnings } = await setUpAuthority(connectedTo(ca), plan);
        expect(warnings).toEqual([
          `New certificates of pki/ have no CRL and OCSP URLs, because other machines cannot reach ${path}. Set them with npx sealwright post pki/config/cluster path=https://ca.example/v1/pki aia_path=http://ca.example/v1/pki and npx sealwright post pki/config/urls/defaults.`,
        ]);
      }
      expect((await ca.pki.readUrls()).crl_distribution_points).toEqual([]);
    },
  );

  it("prints the command for http URLs if the mount has an issuer and its URL is public", async () => {
    const { ca } = authority();
    await ca.pki.generateRoot({ common_name: "Example", key_type: "ec" });
    await ca.pki.writeCluster({ path: "https://ca.corp.example/v1/pki" });
    const { warnings } = await setUpAuthority(connectedTo(ca), plan);
    expect(warnings).toEqual([
      "New certificates of pki/ have no CRL and OCSP URLs, because the mount has none. Set them with npx sealwright post pki/config/cluster path=https://ca.corp.example/v1/pki aia_path=http://ca.corp.example/v1/pki and npx sealwright post pki/config/urls/defaults.",
    ]);
  });

  it("adopts an existing issuer, such as the one of the banner's command, and adds the role", async () => {
    const { ca } = authority();
    const { certificate } = await ca.pki.generateRoot({ common_name: "Example", key_type: "ec" });
    const result = await setUpAuthority(connectedTo(ca), plan);
    expect(result).toMatchObject({ created: ["role server"], adopted: "Example" });
    expect(result.root?.trim()).toBe(certificate.trim());
    expect((await ca.pki.listIssuers()).keys).toHaveLength(1);
  });

  it("rejects a name and domains that would have no effect before it creates anything", async () => {
    const connection = connectedTo(authority().ca);
    await setUpAuthority(connection, plan);
    await expect(setUpAuthority(connection, { ...plan, name: "Other" })).rejects.toThrow(
      '--name has no effect: the mount pki/ has the issuer "Sealwright Intermediate CA".',
    );
    const other = { ...plan, domains: ["localhost", "corp.example", "10.0.0.1"] };
    await expect(setUpAuthority(connection, other)).rejects.toThrow(
      "--domain has no effect: the role server of pki/ exists and does not allow corp.example, 10.0.0.1. To allow them, run npx sealwright patch pki/roles/server allowed_domains=localhost,corp.example allowed_ip_sans_cidr=127.0.0.1/32,::1/128,10.0.0.1/32; or choose another role with --role, or another mount with --mount.",
    );
    const named = { ...other, role: "mail", name: "Other" };
    await expect(setUpAuthority(connection, named)).rejects.toThrow("--name has no effect");
    expect(await connection.mount("pki").listRoles()).toMatchObject({ keys: ["server"] });
    expect((await setUpAuthority(connection, { ...other, role: "mail" })).created).toEqual([
      "role mail",
    ]);
  });

  it.each([
    [{ allow_any_name: true, allow_ip_sans: false }, ["10.0.0.1"]],
    [{ allowed_domains: ["corp.example"] }, ["corp.example", "a.corp.example"]],
    [{ allowed_domains: ["corp.example"], allow_bare_domains: true }, ["a.corp.example"]],
    [{ allowed_domains: ["corp.example"], allow_subdomains: true }, ["corp.example"]],
    [{ allowed_domains: ["*.example"], allow_glob_domains: true }, []],
    [{ allow_any_name: true, allowed_ip_sans_cidr: ["10.0.0.1/32", "fd00::/8"] }, []],
    [{ allow_any_name: true, allowed_ip_sans_cidr: ["10.0.0.0/31"] }, []],
    [{ allow_any_name: true, allowed_ip_sans_cidr: ["11.0.0.0/8"] }, ["10.0.0.1"]],
  ])("reports that a role with %j does not allow %j", (role, lacking) => {
    const domains = ["corp.example", "a.corp.example", "10.0.0.1"];
    expect(domainsLackingIn({ ...defaultRole, ...role }, domains)).toEqual(lacking);
  });

  it.each([
    [{ allow_subdomains: true }, ["corp.example", "münchen.example", "*.b.corp.example"]],
    [{ allow_subdomains: true, allow_wildcard_certificates: false }, []],
    [{ allow_bare_domains: true }, ["*.münchen.example"]],
    [{ allow_glob_domains: true }, ["*.corp.example"]],
    [{ allow_any_name: true, allow_wildcard_certificates: false }, []],
  ])(
    "judges wildcards and internationalized names under a role with %j as the server does",
    async (fields, further) => {
      const { ca, root } = authority();
      await root();
      const allowed_domains = ["corp.example", "xn--mnchen-3ya.example", ...further];
      const role = { allowed_domains, require_cn: false, key_type: "ec", ...fields } as const;
      const stored = await ca.pki.writeRole({ name: "server", ...role });
      const names = ["corp", "*.corp", "*.b.corp", "a.corp", "a.münchen", "münchen", "*.münchen"];
      const domains = names.map((name) => `${name}.example`);
      const isRefused = (alt_names: string): Promise<boolean> =>
        ca.pki.issue({ role: "server", alt_names }).then(
          () => false,
          () => true,
        );
      const refused: string[] = [];
      for (const name of domains) if (await isRefused(name)) refused.push(name);
      expect(refused).not.toEqual([]);
      expect(domainsLackingIn(stored, domains)).toEqual(refused);
      await ca.pki.patchRole({ name: "server", ...fieldsToAllow(stored, refused) });
      for (const name of domains) expect([name, await isRefused(name)]).toEqual([name, false]);
    },
  );

  it.each([
    [{ allowed_domains: ["*.example"], allow_glob_domains: true, allow_ip_sans: false }],
    [{ allow_any_name: true, allowed_ip_sans_cidr: ["11.0.0.0/8"] }],
    [{ allowed_ip_sans_cidr: ["10.0.0.0/8"] }],
  ])("names fields with which a role with %j allows further domains", (role) => {
    const domains = ["corp.test", "10.0.0.0/7"];
    const stored = { ...defaultRole, ...role };
    const fields = fieldsToAllow(stored, domainsLackingIn(stored, domains));
    expect(domainsLackingIn({ ...stored, ...fields }, domains)).toEqual([]);
  });

  it.each([
    "foo_bar.example",
    "corp example",
    "-corp.example",
    "foo_bär.example",
    "xn--99999999999.test",
    `${"a".repeat(64)}.example`,
    "10.0.0/8",
    "10.0.0",
  ])(
    "rejects the domain %s, for which no certificate can be issued, and creates nothing",
    async (name) => {
      const { ca, root } = authority();
      const connection = connectedTo(ca);
      const wanted = { ...plan, mount: "corp", domains: ["corp.example", name] };
      await expect(setUpAuthority(connection, wanted)).rejects.toThrow(
        `--domain: ${JSON.stringify(name)} is not a host name`,
      );
      const made = connection.sys.readMount({ path: "corp" });
      await expect(made).rejects.toMatchObject({ code: "no_mount" });
      await root();
      const role = { allow_any_name: true, require_cn: false, key_type: "ec" } as const;
      await ca.pki.writeRole({ name: "any", ...role });
      const issued = ca.pki.issue({ role: "any", alt_names: name });
      await expect(issued).rejects.toMatchObject({ code: "name_not_allowed" });
    },
  );

  it("accepts a domain that is not a host name if the existing role allows it", async () => {
    const { ca } = authority();
    const connection = connectedTo(ca);
    await setUpAuthority(connection, plan);
    const domains = ["foo_bar.example"];
    await ca.pki.patchRole({ name: "server", allowed_domains: domains });
    await expect(setUpAuthority(connection, { ...plan, domains })).rejects.toThrow("host name");
    await ca.pki.patchRole({ name: "server", enforce_hostnames: false });
    expect((await setUpAuthority(connection, { ...plan, domains })).created).toEqual([]);
  });

  it("creates a role with the names that browsers request for internationalized domains", async () => {
    const { ca } = authority();
    await setUpAuthority(connectedTo(ca), {
      ...plan,
      domains: ["ÜBER.example", "stra\u00dfe.test"],
    });
    const { allowed_domains } = await ca.pki.readRole({ name: "server" });
    expect(allowed_domains).toEqual(["xn--ber-goa.example", "xn--strae-oqa.test"]);
  });

  it("rejects an invalid address range, and requires the role to allow every address of a range", () => {
    expect(findWrongRange(["corp.example", "::/0", "10.0.0.0/33"])).toBe("10.0.0.0/33");
    const role = { ...defaultRole, allowed_ip_sans_cidr: ["10.1.0.0/16"] };
    const domains = ["10.1.2.0/24", "10.1.0.0/16", "10.0.0.0/8"];
    expect(domainsLackingIn(role, domains)).toEqual(["10.0.0.0/8"]);
  });

  it("creates a role that allows certificates for a listed IPv4 address, or one in a listed range, without a DNS name", async () => {
    const connection = connectedTo(authority().ca);
    await setUpAuthority(connection, { ...plan, domains: ["10.0.0.0/8", "192.0.2.7"] });
    const order = { mount: "pki", role: "server" };
    const namesOf = async (...names: readonly string[]) => {
      const { certificate } = await requestCertificate(connection.mount("pki"), {
        ...order,
        names,
      });
      return new X509Certificate(certificate).subjectAltName;
    };
    expect(await namesOf("10.1.2.3")).toBe("IP Address:10.1.2.3");
    expect(await namesOf("192.0.2.7", "10.1.2.3")).toBe(
      "IP Address:192.0.2.7, IP Address:10.1.2.3",
    );
    await expect(namesOf("192.0.2.8")).rejects.toThrow("192.0.2.8 not allowed by this role");
  });

  it("creates a role that allows an internationalized domain, also when it runs again", async () => {
    const { ca } = authority();
    const connection = connectedTo(ca);
    const domains = ["München.example"];
    await setUpAuthority(connection, { ...plan, domains });
    const issued = await ca.pki.issue({ role: "server", alt_names: "münchen.example" });
    expect(new X509Certificate(issued.certificate).subjectAltName).toBe(
      "DNS:xn--mnchen-3ya.example",
    );
    expect((await setUpAuthority(connection, { ...plan, domains })).created).toEqual([]);
  });

  it("uses an IPv4 address as the common name if the role allows it", async () => {
    const { ca } = authority();
    const connection = connectedTo(ca);
    await setUpAuthority(connection, plan);
    const rule = {
      allowed_domains: ["10.1.2.3"],
      allow_bare_domains: true,
      key_type: "ec",
    } as const;
    await ca.pki.writeRole({ name: "required", ...rule });
    const order = { mount: "pki", role: "required", names: ["10.1.2.3"] };
    const { certificate } = await requestCertificate(connection.mount("pki"), order);
    expect(new X509Certificate(certificate).subject).toBe("CN=10.1.2.3");
  });

  it("creates a role that allows a certificate with only an IPv6 address", async () => {
    const pki = authority();
    await setUpAuthority(connectedTo(pki.ca), plan);
    const { certificate } = await requestCertificate(pki.ca.pki, {
      mount: "pki",
      role: "server",
      names: ["::1"],
    });
    const { subject, subjectAltName } = new X509Certificate(certificate);
    expect([subject ?? "", subjectAltName]).toEqual(["", "IP Address:0:0:0:0:0:0:0:1"]);
  });

  it.each(["generateIntermediate", "signIntermediate", "writeIssuersConfig", "writeRole"] as const)(
    "completes a setup that was interrupted before %s",
    async (method) => {
      const connection = connectedTo(authority().ca);
      await expect(setUpAuthority(breakingAt(connection, method), plan)).rejects.toThrow("killed");
      const { created, adopted } = await setUpAuthority(connection, plan);
      expect(adopted).toBeUndefined();
      expect([...everything, "role server"]).toEqual(expect.arrayContaining([...created]));
      const { issuer_name, issuer_id } = await connection
        .mount("pki")
        .readIssuer({ issuer_ref: "default" });
      expect(issuer_name).toBe("intermediate");
      const issued = await connection
        .mount("pki")
        .issue({ role: "server", common_name: "localhost" });
      expect(issued.ca_chain).toHaveLength(2);
      expect(issuer_id).not.toBe("");
      expect((await setUpAuthority(connection, plan)).created).toEqual([]);
    },
  );

  it.each(["setSigned", "writeIssuersConfig", "patchIssuer"] as const)(
    "completes an intermediate signed by another mount that was interrupted before %s",
    async (method) => {
      const connection = connectedTo(authority().ca);
      const config = { max_lease_ttl: "87600h" };
      await connection.sys.createMount({ path: "roots", type: "pki", config });
      const root = { common_name: "Root", key_type: "ec", ttl: "87600h" } as const;
      await connection.mount("roots").generateRoot(root);
      const wanted = { ...plan, rootMount: "roots" };
      await expect(setUpAuthority(breakingAt(connection, method), wanted)).rejects.toThrow(
        "killed",
      );
      const { adopted } = await setUpAuthority(connection, wanted);
      expect(adopted).toBeUndefined();
      const { issuer_name, ca_chain } = await connection
        .mount("pki")
        .readIssuer({ issuer_ref: "default" });
      expect([issuer_name, ca_chain.length]).toEqual(["intermediate", 2]);
      expect((await setUpAuthority(connection, wanted)).created).toEqual([]);
    },
  );
});
