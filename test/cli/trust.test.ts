import { describe, expect, it } from "vitest";
import { describeRoot } from "../../server/cli/commands/trust.ts";
import { javaStore } from "../../server/cli/trust/java-store.ts";
import { nodeStore } from "../../server/cli/trust/node-store.ts";
import { nssStore } from "../../server/cli/trust/nss-store.ts";
import { formatStep } from "../../server/cli/trust/steps.ts";
import { systemStore } from "../../server/cli/trust/system-store.ts";
import type { Machine, TrustStore } from "../../server/cli/trust/trust-store.ts";
import { authority } from "../support/authority.ts";

const root = { certificate: "", file: "/etc/root.pem", name: "sealwright-0011aabb", sha1: "AB12" };

/** A machine with the given paths and programs. */
const machine = (
  platform: NodeJS.Platform,
  paths: readonly string[] = [],
  programs: readonly string[] = [],
): Machine => ({
  platform,
  home: "/u",
  configDir: "/u/.config/sealwright",
  env: {},
  exists: (path) => paths.includes(path),
  namesIn: (folder) =>
    paths.flatMap((path) =>
      path.startsWith(`${folder}/`) ? (path.slice(folder.length + 1).split("/")[0] ?? []) : [],
    ),
  findProgram: (name) => (programs.includes(name) ? `/usr/bin/${name}` : undefined),
});
const lines = (store: TrustStore, action: "install" | "remove", on: Machine): readonly string[] =>
  store[action](root, on).map((step) => formatStep(step, false));

/** A root whose base64 is split so that one line is END, which could terminate a here-document. */
async function craftedPem(): Promise<string> {
  // the common name puts "END" into the base64, at one of these offsets
  const { certificate } = await authority().ca.pki.generateRoot({
    common_name: "DCCDDCCDDCCD",
    key_type: "ec",
  });
  const [begin = "", ...rest] = certificate.trim().split("\n");
  const body = rest.slice(0, -1).join("");
  const at = body.indexOf("END");
  expect(at).toBeGreaterThan(0);
  return [begin, body.slice(0, at), "END", body.slice(at + 3), rest.at(-1)].join("\n");
}

it("no line of a crafted root terminates the here-document that is printed for it", async () => {
  const described = describeRoot(await craftedPem(), machine("linux"));
  const text = formatStep(
    { kind: "write", path: "/u/root.pem", text: described.certificate, asRoot: false },
    false,
  );
  const lines = text.split("\n");
  expect(lines.slice(1, -1).join("\n")).toBe(described.certificate.trim());
  expect(lines.slice(1).indexOf(lines.at(-1) ?? "")).toBe(lines.length - 2);
  expect(lines).not.toContain("END");
});

describe("the trust store of the operating system", () => {
  const [copy, remove] = ["sudo install -m 0644 /etc/root.pem", "sudo rm -f"];
  it.each([
    ["Debian", "/usr/local/share/ca-certificates", "update-ca-certificates", ""],
    ["Fedora", "/etc/pki/ca-trust/source/anchors", "update-ca-trust", " extract"],
    ["Arch", "/etc/ca-certificates/trust-source/anchors", "trust", " extract-compat"],
    ["SUSE", "/usr/share/pki/trust/anchors", "update-ca-certificates", ""],
  ])("on %s is a directory and a command", (_, folder, program, word) => {
    const linux = machine("linux", [folder], [program]);
    const path = `${folder}/sealwright-0011aabb.crt`;
    const apply = `sudo ${program}${word}`;
    expect(lines(systemStore, "install", linux)).toEqual([`${copy} ${path}`, apply]);
    expect(lines(systemStore, "remove", linux)).toEqual([`${remove} ${path}`, apply]);
  });

  it("on macOS and Windows is changed by the system's program", () => {
    expect(lines(systemStore, "install", machine("darwin"))).toEqual([
      "sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain /etc/root.pem",
    ]);
    expect(lines(systemStore, "remove", machine("darwin"))).toEqual([
      "sudo security delete-certificate -Z AB12 -t /Library/Keychains/System.keychain",
    ]);
    expect(lines(systemStore, "install", machine("win32"))).toEqual([
      "certutil.exe -user -addstore Root /etc/root.pem",
    ]);
    expect(lines(systemStore, "remove", machine("win32"))).toEqual([
      "certutil.exe -user -delstore Root AB12",
    ]);
  });

  it("on an unknown Linux distribution requires the ca-certificates package", () => {
    expect(lines(systemStore, "install", machine("linux"))).toEqual([
      expect.stringContaining("install the ca-certificates package"),
    ]);
  });
});

describe("the trust stores of programs", () => {
  const profile = "/u/.mozilla/firefox/abc.default";
  const browsers = ["/u/.pki/nssdb/cert9.db", `${profile}/cert9.db`];

  it("on Linux are the databases of Chromium and of each Firefox profile", () => {
    const linux = machine("linux", browsers, ["certutil"]);
    expect(lines(nssStore, "install", linux)).toEqual([
      "certutil -A -d sql:/u/.pki/nssdb -n sealwright-0011aabb -t C,, -i /etc/root.pem",
      `certutil -A -d sql:${profile} -n sealwright-0011aabb -t C,, -i /etc/root.pem`,
    ]);
    expect(lines(nssStore, "remove", linux)[0]).toBe(
      "certutil -D -d sql:/u/.pki/nssdb -n sealwright-0011aabb",
    );
    expect(lines(nssStore, "install", machine("linux", browsers))).toEqual([
      expect.stringMatching(/^Install certutil \(Debian: libnss3-tools, .* and repeat the command/),
    ]);
    const start = "Start the browser once to create its database, then repeat the command.";
    expect(lines(nssStore, "install", machine("linux", [], ["firefox", "certutil"]))).toEqual([
      start,
    ]);
    expect(lines(nssStore, "install", machine("linux", [], ["firefox"]))).toEqual([
      start,
      expect.stringMatching(/^Install certutil /),
    ]);
    const newer = machine("linux", ["/u/.local/share/pki/nssdb/cert9.db"], ["certutil"]);
    expect(lines(nssStore, "remove", newer)).toEqual([
      "certutil -D -d sql:/u/.local/share/pki/nssdb -n sealwright-0011aabb",
    ]);
    expect(lines(nssStore, "install", machine("linux"))).toEqual([]);
  });

  it("include the keystore of Java if keytool is installed, and the extra CAs of Node", () => {
    expect(lines(javaStore, "install", machine("linux", [], ["keytool"]))).toEqual([
      "sudo /usr/bin/keytool -importcert -noprompt -alias sealwright-0011aabb -file /etc/root.pem -cacerts -storepass changeit",
    ]);
    expect(lines(javaStore, "install", machine("linux"))).toEqual([]);
    expect(lines(nodeStore, "install", machine("linux"))[0]).toContain(
      "NODE_EXTRA_CA_CERTS='/etc/root.pem'",
    );
  });
});
