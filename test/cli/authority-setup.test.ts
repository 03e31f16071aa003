import { describe, expect, it } from "vitest";
import { setUpAuthority, type AuthorityPlan } from "../../server/cli/authority-setup.ts";
import type { Connection } from "../../server/cli/connection.ts";
import type { PkiClient } from "../../src/index.ts";
import { authority } from "../support/authority.ts";
import { connectedTo } from "./connected.ts";

const plan: AuthorityPlan = {
  mount: "pki",
  name: undefined,
  role: "server",
  domains: undefined,
  rootMount: undefined,
};
const everything = ["root Sealwright Root CA", "intermediate Sealwright Intermediate CA"];

/** A connection that breaks when one of the methods of its mounts is called. */
const breakingAt = (connection: Connection, method: keyof PkiClient): Connection => ({
  ...connection,
  mount: (path) => ({
    ...connection.mount(path),
    [method]: () => Promise.reject(new Error("killed")),
  }),
});

describe("init", () => {
  it("creates root, intermediate and role, and nothing when it is repeated", async () => {
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

  it("adopts an issuer that is there, as the banner's call creates it, and adds the role", async () => {
    const { ca } = authority();
    const { certificate } = await ca.pki.generateRoot({ common_name: "Example", key_type: "ec" });
    const result = await setUpAuthority(connectedTo(ca), plan);
    expect(result).toMatchObject({ created: ["role server"], adopted: "Example" });
    expect(result.root?.trim()).toBe(certificate.trim());
    expect((await ca.pki.listIssuers()).keys).toHaveLength(1);
  });

  it("rejects a name and domains that would have no effect, before it creates anything", async () => {
    const connection = connectedTo(authority().ca);
    await setUpAuthority(connection, plan);
    await expect(setUpAuthority(connection, { ...plan, name: "Other" })).rejects.toThrow(
      '--name has no effect: the mount pki/ has the issuer "Sealwright Intermediate CA".',
    );
    const other = { ...plan, domains: ["localhost", "corp.example", "10.0.0.1"] };
    await expect(setUpAuthority(connection, other)).rejects.toThrow(
      "--domain has no effect: the role server of pki/ exists and does not allow corp.example, 10.0.0.1.",
    );
    const named = { ...other, role: "mail", name: "Other" };
    await expect(setUpAuthority(connection, named)).rejects.toThrow("--name has no effect");
    expect(await connection.mount("pki").listRoles()).toMatchObject({ keys: ["server"] });
    expect((await setUpAuthority(connection, { ...other, role: "mail" })).created).toEqual([
      "role mail",
    ]);
  });

  it.each(["generateIntermediate", "signIntermediate", "writeIssuersConfig", "writeRole"] as const)(
    "completes what was interrupted before %s",
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
    "completes an intermediate below another mount that was interrupted before %s",
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
