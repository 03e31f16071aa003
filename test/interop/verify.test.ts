import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { verify } from "../../src/verify/index.ts";
import { seeded } from "../support/authority.ts";
import { print } from "../support/output.ts";
import { itWith } from "../support/programs.ts";
import {
  at,
  clientAuth,
  day,
  issue,
  now,
  serverAuth,
  type Member,
  type Traits,
} from "../verify/hierarchy.ts";
import { withFiles } from "../x509/fixture.ts";

interface Case {
  readonly leaf: Member;
  readonly root: Member;
  readonly intermediates: readonly Member[];
  readonly purpose: "serverAuth" | "clientAuth";
}

const name = "www.example.com";

/** Returns one of the values with a probability of `share` percent, otherwise undefined. */
type Chance = <T>(share: number, ...values: readonly T[]) => T | undefined;

function chanceOf(seed: number): Chance {
  const random = seeded(seed);
  const below = (count: number): number => {
    const [a = 0, b = 0] = random(2);
    return (a * 256 + b) % count;
  };
  return (share, ...values) => (below(100) < share ? values[below(values.length)] : undefined);
}

const traitsOf = (chance: Chance): Traits => {
  const [notAfter, notBefore] = [chance(4, now - day), chance(4, now + day)];
  const purposes = chance(10, [serverAuth], [clientAuth], [serverAuth, clientAuth]);
  return {
    ...(notAfter !== undefined && { notAfter }),
    ...(notBefore !== undefined && { notBefore }),
    ...(purposes && { purposes }),
  };
};

function caTraits(chance: Chance): Traits {
  const pathLength = chance(25, 0, 1, 2);
  const usage = chance(5, ["CRLSign"] as const, ["DigitalSignature"] as const);
  const permitted = chance(
    15,
    { dns: ["example.com"] },
    { dns: ["example.org"] },
    { ip: ["192.0.2.0/24"] },
    { dns: ["www.example.com"], ip: ["10.0.0.0/8"] },
  );
  const excluded = chance(8, { dns: ["www.example.com"] }, { dns: ["example.net"] });
  return {
    ca: true,
    ...traitsOf(chance),
    ...(pathLength !== undefined && { pathLength }),
    ...(usage && { usage }),
    ...(permitted && { permitted }),
    ...(excluded && { excluded }),
    ...(chance(4, true) && { basic: undefined }),
  };
}

/** Generates a hierarchy: one to five CAs, some cross-signed, with traits that make some paths invalid. */
async function caseOf(seed: number): Promise<Case> {
  const chance = chanceOf(seed);
  const root = await issue(`Root ${seed}`, undefined, { ca: true });
  const other = await issue(`Other root ${seed}`, undefined, { ca: true });
  const intermediates: Member[] = [other];
  let issuer = root;
  for (let depth = 0; depth < (chance(80, 1, 2, 3) ?? 0); depth++) {
    const ca = `CA ${depth} of ${seed}`;
    const next = await issue(ca, issuer, caTraits(chance));
    intermediates.push(next);
    // the same CA, signed by another issuer or with other traits
    if (chance(20, true))
      intermediates.push(
        await issue(ca, chance(50, other) ?? issuer, { ...caTraits(chance), key: next.key }),
      );
    issuer = next;
  }
  const names = chance(12, { dns: ["a.test"] }, { dns: ["*.example.com"], ip: ["192.0.2.1"] });
  const leaf = await issue(`Leaf ${seed}`, issuer, {
    ...traitsOf(chance),
    names: names ?? { dns: [name] },
  });
  if (chance(30, true)) intermediates.reverse();
  const purpose = chance(15, "clientAuth" as const) ?? "serverAuth";
  return { leaf, root, intermediates, purpose };
}

/** Returns our result for each case. */
const ours = (cases: readonly Case[]): Promise<readonly string[]> =>
  Promise.all(
    cases.map(async ({ leaf, root, intermediates, purpose }) => {
      const { ok, reasons } = await verify(leaf.der, {
        anchors: root.der,
        intermediates: intermediates.map(({ der }) => der),
        purpose,
        name,
        at,
      });
      return ok ? "ok" : reasons.map(({ code }) => code).join(" ");
    }),
  );

const base64 = (der: Uint8Array): string => Buffer.from(der).toString("base64");

function byGo(cases: readonly Case[]): readonly string[] {
  const lines = cases.map(({ leaf, root, intermediates, purpose }) =>
    JSON.stringify({
      Leaf: base64(leaf.der),
      Root: base64(root.der),
      Intermediates: intermediates.map(({ der }) => base64(der)),
      Name: name,
      At: now,
      Purpose: purpose,
    }),
  );
  const program = join(import.meta.dirname, "verify.go");
  const output = execFileSync("go", ["run", program], {
    encoding: "utf8",
    input: lines.join("\n"),
  });
  return output.trim().split("\n");
}

function byOpenssl({ leaf, root, intermediates, purpose }: Case): string {
  const pem = (members: readonly Member[]) =>
    members.map(({ der }) => `${encodePem("CERTIFICATE", der)}\n`).join("");
  const files = {
    "leaf.pem": pem([leaf]),
    "root.pem": pem([root]),
    "more.pem": pem(intermediates),
  };
  return withFiles(files, (path) => {
    const ask = [
      ["verify", "-attime", String(now), "-no-CApath", "-no-CAstore", "-x509_strict"],
      ["-CAfile", path("root.pem"), "-untrusted", path("more.pem")],
      ["-purpose", purpose === "serverAuth" ? "sslserver" : "sslclient"],
      ["-verify_hostname", name, path("leaf.pem")],
    ].flat();
    try {
      execFileSync("openssl", ask, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
      return "ok";
    } catch (error) {
      return String((error as { readonly stderr?: string }).stderr ?? error);
    }
  });
}

const fresh = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const casesOf = async (from: number, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => caseOf(from + i)));

describe("random chains", () => {
  itWith("go", "version")("get the same result from verify and from Go", async () => {
    print(`seed ${fresh}`);
    const cases = [...(await casesOf(1, 200)), ...(await casesOf(fresh, 50))];
    const [mine, theirs] = [await ours(cases), byGo(cases)];
    const differing = mine.flatMap((result, i) =>
      (result === "ok") === (theirs[i] === "ok")
        ? []
        : [`${cases[i]?.leaf.name}: ${result}, Go: ${theirs[i]}`],
    );
    expect(theirs).toHaveLength(250);
    expect(differing).toEqual([]);
    expect(mine.filter((result) => result === "ok").length).toBeGreaterThan(40);
    expect(mine.filter((result) => result !== "ok").length).toBeGreaterThan(40);
  });

  itWith("openssl", "version")("get the same result from verify and from openssl", async () => {
    // openssl follows one path only: if a CA has several certificates, it may follow the wrong one
    const cases = (await casesOf(1, 80)).filter(
      ({ intermediates }) =>
        new Set(intermediates.map(({ name: subject }) => subject)).size === intermediates.length,
    );
    expect(cases.length).toBeGreaterThan(40);
    const mine = await ours(cases);
    const differing = mine.flatMap((result, i) => {
      const one = cases[i];
      const theirs = one ? byOpenssl(one) : "no case";
      return (result === "ok") === (theirs === "ok")
        ? []
        : [`${one?.leaf.name}: ${result}, openssl: ${theirs}`];
    });
    expect(differing).toEqual([]);
  });
});
