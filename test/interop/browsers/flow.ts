import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { serve, type Served } from "../../demo/support.ts";
import { openssl, withFiles } from "../../x509/fixture.ts";
import { engines, type Manner, type Window } from "./engine.ts";
import { ask, begun, data, fill, press, seen } from "./page.ts";

let at: Served;
beforeAll(async () => {
  at = await serve({ worker: "kept", chunks: true });
});
afterAll(() => at.close());

/** The kinds of CA keys, and below those of leaf keys: 54 pairs. */
const authorities = [
  "rsa 2048",
  "rsa 3072",
  "rsa 4096",
  "rsa 2048 pss",
  "ec 224",
  "ec 256",
  "ec 384",
  "ec 521",
  "ed25519 0",
];
const leaves = ["rsa 2048", "ec 224", "ec 256", "ec 384", "ec 521", "ed25519 0"];
const keyOf = (kind: string): object => {
  const [key_type, bits, pss] = kind.split(" ");
  return { key_type, key_bits: Number(bits), ...(pss && { use_pss: true }) };
};

describe.each(engines)("in $name", (engine) => {
  let profile: string;
  let window: Window;
  const open = async (manner?: Manner): Promise<void> => {
    window = await engine.open(profile, at.url, manner);
  };
  beforeEach(() => {
    profile = mkdtempSync(join(tmpdir(), "sealwright-browser-"));
  });
  afterEach(async () => {
    await window.close();
    rmSync(profile, { recursive: true, force: true });
  });

  it("the Dev CA issues and revokes a certificate, and all of it survives a restart of the browser", async () => {
    await open();
    await press(window, /^Dev CA/);
    await issue("old.dev.test");
    const serial = String(await window.evaluate("location.hash.split('/').at(-1)")).toUpperCase();
    await press(window, /^Certificates$/);
    await press(window, /^old\.dev\.test$/);
    await press(window, /^Revoke…$/);
    await fill(window, /^Reason/, "superseded");
    await fill(window, /^Type/, "old.dev.test");
    await press(window, /^Revoke$/);
    await seen(window, "body", /Revoked\b.*Now on the CRL/);
    expect(await listed()).toContain(serial);

    await window.close();
    await open();
    await press(window, /^Certificates$/);
    await press(window, /^old\.dev\.test$/);
    await seen(window, "h1", /^old\.dev\.test$/);
    await seen(window, "main", /Revoked \d/);
    expect(await listed()).toContain(serial);
    await issue("new.dev.test");
    expect((await data(window, "LIST", "pki/certs"))["keys"]).toHaveLength(4);
  });

  it("a loaded page works after its server has stopped", async () => {
    const own = await serve({ worker: "kept", chunks: true });
    try {
      window = await engine.open(profile, own.url);
      await press(window, /^Dev CA/);
      await seen(window, "h1", /^Issue a certificate$/);
      // WebKitGTK's service workers do not have the page's cached files.
      if (engine.name === "firefox")
        expect(own.asked.filter((path, i) => own.asked.indexOf(path) < i)).toEqual([]);
      expect(own.asked.filter((path) => path.startsWith("v1"))).toEqual([]);
    } finally {
      await own.close();
    }
    await window.evaluate("setTimeout(() => location.reload())");
    await issue("offline.dev.test");
    for (const view of ["roles", "acme", "system"]) {
      await window.evaluate(`location.hash = "#/${view}"`);
      await seen(window, "h1", new RegExp(`^${view}$`, "i"));
    }
  });

  it("every kind of CA key signs every kind of leaf key so that openssl verifies the chain", async () => {
    await open();
    await begun(window);
    await ask(window, "POST", "sys/mounts/pki", { type: "pki" });
    for (const kind of leaves)
      await ask(window, "POST", `pki/roles/${kind.replace(" ", "-")}`, {
        ...keyOf(kind),
        allow_any_name: true,
      });
    for (const kind of authorities) {
      const { certificate: root, issuer_id: issuer } = await data(
        window,
        "POST",
        "pki/root/generate/internal",
        {
          ...keyOf(kind),
          common_name: kind,
          ttl: "87600h",
        },
      );
      for (const leaf of leaves) {
        const made = await data(
          window,
          "POST",
          `pki/issuer/${String(issuer)}/issue/${leaf.replace(" ", "-")}`,
          { common_name: "a.test", ttl: "1h" },
        );
        expect(
          verified(String(root), String(made["certificate"])),
          `${leaf} below ${kind}`,
        ).toContain("OK");
      }
    }
  });

  it("a private window warns that it does not keep data", async () => {
    await open("private");
    await seen(window, "main", /private window/);
  });

  it.skipIf(!engine.manners.includes("blocked"))(
    "a window that blocks storage says so, and can still connect to a server",
    async () => {
      await open("blocked");
      await seen(window, "main", /This window cannot store an authority\. The browser reports/);
      await press(window, /^connect to a server$/);
      await seen(window, "h1", /^Settings$/);
      await seen(window, "main", /Storage\s*This window cannot keep an authority/);
      await seen(window, "button", /^Connect$/);
    },
  );

  async function issue(name: string): Promise<void> {
    await press(window, /^Issue a certificate$/);
    await seen(window, "h1", /^Issue a certificate$/);
    await fill(window, /^Name 1$/, name);
    await press(window, /^Issue certificate$/);
    await press(window, /^I have saved the key/);
    await press(window, /^Show certificate$/);
    await seen(window, "h1", new RegExp(`^${name}$`));
  }

  const listed = async (): Promise<string> =>
    openssl(["crl", "-noout", "-text"], await ask(window, "GET", "pki/crl/pem"));
});

const verified = (root: string, leaf: string): string =>
  withFiles({ "root.pem": root, "leaf.pem": leaf }, (path) =>
    // the default security level of openssl rejects P-224
    openssl([
      "verify",
      "-auth_level",
      "0",
      "-x509_strict",
      "-check_ss_sig",
      "-CAfile",
      path("root.pem"),
      path("leaf.pem"),
    ]),
  );
