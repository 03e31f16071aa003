import type { PkiClient } from "./pki.ts";

/** The methods of a mount that most programs need, grouped by subject, with shorter names. */
const methods = {
  certificates: {
    issue: "issue",
    sign: "sign",
    read: "readCert",
    list: "listCerts",
    search: "searchCerts",
    revoke: "revoke",
  },
  roles: {
    write: "writeRole",
    patch: "patchRole",
    read: "readRole",
    list: "listRoles",
    delete: "deleteRole",
  },
  issuers: {
    generateRoot: "generateRoot",
    generateIntermediate: "generateIntermediate",
    signIntermediate: "signIntermediate",
    import: "importBundle",
    read: "readIssuer",
    list: "listIssuers",
    delete: "deleteIssuer",
  },
  crl: {
    read: "readCrl",
    rotate: "rotateCrl",
    readConfig: "readCrlConfig",
    writeConfig: "writeCrlConfig",
  },
  acme: {
    readConfig: "readAcmeConfig",
    writeConfig: "writeAcmeConfig",
    listAccounts: "listAcmeAccounts",
    listOrders: "listAcmeOrders",
    newEab: "newEab",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, keyof PkiClient>>>>;

type Methods = typeof methods;
/**
 * The methods of a typed client, grouped by subject: certificates, roles, issuers, CRL and ACME.
 */
export type PkiGroups = {
  readonly [G in keyof Methods]: {
    readonly [M in keyof Methods[G]]: PkiClient[Methods[G][M] & keyof PkiClient];
  };
};

/** Groups the methods of a typed client by subject. The methods themselves are unchanged. */
export const pkiGroups = (pki: PkiClient): PkiGroups =>
  // each member is the method according to its type
  Object.fromEntries(
    Object.entries(methods).map(([group, names]) => [
      group,
      Object.fromEntries(
        Object.entries<keyof PkiClient>(names).map(([short, name]) => [short, pki[name]]),
      ),
    ]),
  ) as unknown as PkiGroups;
