import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import type { TlsConnection } from "../../src/net/tls.ts";
import {
  certificate,
  newKey,
  readAll,
  secured,
  writeAll,
  type Certified,
} from "../net/tls-fixture.ts";
import { itWith, needs } from "../support/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "tls-"));
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

let files = 0;
function file(text: string): string {
  const path = join(folder, `${files++}.pem`);
  writeFileSync(path, text);
  return path;
}

/** Starts a server and returns the port that it prints. */
async function start(
  command: string,
  args: readonly string[],
  address: RegExp,
): Promise<{ readonly port: number; readonly child: ChildProcess }> {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  running.push(child);
  let output = "";
  const port = await new Promise<number>((resolve, reject) => {
    const hear = (part: Buffer) => {
      output += part.toString();
      const found = address.exec(output)?.[1];
      if (found) resolve(Number(found));
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (code) => reject(new Error(`${command} exited with ${code}: ${output}`)));
  });
  return { port, child };
}

const openssl = (own: Certified, ...more: readonly string[]) => {
  const files = ["-cert", file(own.pem), "-key", file(own.key.pem)];
  // stdbuf disables the buffering of its output
  const server = ["-o0", "openssl", "s_server", "-accept", "127.0.0.1:0", ...files, ...more];
  return start("stdbuf", server, /ACCEPT \S*:(\d+)/);
};

/** Returns the first line that the server sends. */
async function line(tls: TlsConnection): Promise<string> {
  const reader = tls.readable.getReader();
  let text = "";
  while (!text.includes("\n")) text += new TextDecoder().decode((await reader.read()).value);
  reader.releaseLock();
  return text.slice(0, text.indexOf("\n"));
}

/** Sends a line and returns the server's reversed copy. */
async function reversed(tls: TlsConnection, text: string): Promise<string> {
  const writer = tls.writable.getWriter();
  await writer.write(utf8(`${text}\n`));
  return await line(tls);
}

const kinds = [
  ["ec", 256],
  ["ec", 384],
  ["ec", 521],
  ["rsa", 2048],
  ["ed25519", 0],
] as const;

describe("the TLS client with openssl s_server", () => {
  itWith("openssl", "version")(
    "connects with every kind of key, over TLS 1.3 and 1.2",
    async () => {
      for (const [type, bits] of kinds) {
        const own = await certificate({ key: await newKey(type, bits) });
        for (const version of ["-tls1_3", "-tls1_2"]) {
          const { port } = await openssl(own, version, "-rev");
          const tls = await secured(port, { serverName: "peer.example" });
          expect([version, tls.version, await reversed(tls, "hello")]).toEqual([
            version,
            version.slice(4).replace("_", "."),
            "olleh",
          ]);
          tls.close();
        }
      }
    },
  );

  itWith("openssl", "version")("connects with each group and cipher suite", async () => {
    const [ec, rsa] = [await certificate(), await certificate({ key: await newKey("rsa", 2048) })];
    for (const [own, ...args] of [
      [ec, "-tls1_3", "-groups", "X25519"],
      [ec, "-tls1_3", "-groups", "P-256"],
      [ec, "-tls1_3", "-groups", "P-384"],
      [ec, "-tls1_3", "-groups", "P-521"],
      [ec, "-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"],
      [ec, "-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256", "-no_middlebox"],
      [ec, "-tls1_3", "-max_send_frag", "512"],
      [ec, "-tls1_2", "-groups", "P-384", "-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384"],
      [rsa, "-tls1_2", "-cipher", "ECDHE-RSA-AES256-GCM-SHA384"],
      [rsa, "-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256", "-no_ticket"],
    ] as const) {
      const { port } = await openssl(own, ...args, "-rev");
      const tls = await secured(port);
      expect([args, await reversed(tls, "hello")]).toEqual([args, "olleh"]);
      tls.close();
    }
  });

  itWith("openssl", "version")(
    "reports the alert of a server that requires unsupported algorithms or versions",
    async () => {
      const own = await certificate();
      for (const args of [
        ["-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"],
        ["-tls1_2", "-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305"],
        ["-tls1_3", "-groups", "X448"],
      ]) {
        const { port } = await openssl(own, ...args);
        await expect(secured(port)).rejects.toMatchObject({
          kind: "alert",
          alert: "handshake_failure",
        });
      }
      const { port } = await openssl(own, "-tls1_1", "-cipher", "ALL@SECLEVEL=0");
      await expect(secured(port)).rejects.toMatchObject({
        name: "TlsError",
        alert: "protocol_version",
      });
    },
  );

  itWith("openssl", "version")(
    "authenticates with a client certificate, and is rejected with an untrusted one",
    async () => {
      const ca = await certificate({ ca: true, name: "ca" });
      const client = await certificate({ issuer: ca, name: "client" });
      const trusting = ["-CAfile", file(ca.pem), "-verify_return_error", "-Verify", "1", "-rev"];
      for (const version of ["-tls1_3", "-tls1_2"]) {
        const { port } = await openssl(await certificate(), version, ...trusting);
        const identity = { chain: [client.der, ca.der], key: client.key.signer };
        const tls = await secured(port, { identity });
        expect([version, await reversed(tls, "hello")]).toEqual([version, "olleh"]);
        tls.close();
        const other = await certificate({ name: "stranger" });
        const strange = { chain: [other.der], key: other.key.signer };
        const refused = secured(port, { identity: strange }).then((it) => readAll(it.readable));
        await expect(refused).rejects.toMatchObject({ kind: "alert" });
      }
    },
  );

  itWith("openssl", "version")(
    "handles key updates, and updates its own keys on request",
    async () => {
      const { port, child } = await openssl(await certificate(), "-tls1_3");
      const tls = await secured(port);
      const hears = (part: RegExp) =>
        new Promise<void>((resolve) => {
          const hear = (bytes: Buffer) => void (part.test(bytes.toString()) && resolve());
          child.stdout?.on("data", hear);
          child.stderr?.on("data", hear);
        });
      const said = async (command: string, text: string) => {
        // s_server recognizes a command only at the beginning of a read
        const done = hears(/SSL_do_handshake -> 1/);
        child.stdin?.write(`${command}\n`);
        await done;
        child.stdin?.write(`${text}\n`);
        expect(await line(tls)).toBe(text);
      };
      await said("K", "after a change of both keys");
      await said("k", "after a change of its key");
      await said("K", "after both again");
      const heard = hears(/under our third key/);
      const writer = tls.writable.getWriter();
      await writer.write(utf8("under our third key\n"));
      await heard;
      tls.close();
    },
  );

  itWith("openssl", "version")("refuses renegotiation", async () => {
    const { port, child } = await openssl(await certificate(), "-tls1_2");
    const tls = await secured(port);
    child.stdin?.write("r\n");
    // s_server then closes the connection itself
    await expect(readAll(tls.readable)).rejects.toMatchObject({ kind: "alert" });
  });
});

describe("the TLS client with Go's crypto/tls", () => {
  const program = join(folder, "tls-server");
  const go = (own: Certified, version = "", group = "", ca = "") =>
    start(program, [file(own.pem), file(own.key.pem), version, group, ca], /:(\d+)/);
  const build = () =>
    execFileSync("go", ["build", "-o", program, join(import.meta.dirname, "tls-server.go")], {
      env: {
        ...process.env,
        GO111MODULE: "off",
        GOTOOLCHAIN: "local",
        GOFLAGS: "",
        CGO_ENABLED: "0",
      },
    });

  it("connects with every key, group and version, with ALPN, SNI, client certificates, and a mebibyte in both directions", async (context) => {
    needs(context, "go", "version");
    build();
    for (const [type, bits] of kinds) {
      const own = await certificate({ key: await newKey(type, bits) });
      for (const version of ["1.3", "1.2"]) {
        const { port } = await go(own, version);
        const tls = await secured(port, { alpn: ["acme-tls/1"], serverName: "Peer.Example." });
        expect([type, tls.version]).toEqual([type, version]);
        expect(await line(tls)).toBe(`${tls.cipher} acme-tls/1 nobody "peer.example"`);
        tls.close();
      }
    }
    const own = await certificate();
    const client = await certificate({ name: "client", ca: true });
    for (const version of ["1.3", "1.2"]) {
      for (const group of ["X25519", "P-256", "P-384", "P-521"]) {
        const tls = await secured((await go(own, version, group)).port);
        expect(await line(tls)).toContain("nobody");
        tls.close();
      }
      const { port } = await go(own, version, "", file(client.pem));
      const identity = { chain: [client.der], key: client.key.signer };
      const tls = await secured(port, { identity });
      expect(await line(tls)).toContain(" client ");
      const sent = Buffer.alloc(2 ** 20, "0123456789");
      const [read] = await Promise.all([readAll(tls.readable), writeAll(tls.writable, sent)]);
      expect(read.equals(sent)).toBe(true);
      const refused = secured(port).then(({ readable }) => readAll(readable));
      await expect(refused).rejects.toMatchObject({ kind: "alert" });
    }
  });
});
