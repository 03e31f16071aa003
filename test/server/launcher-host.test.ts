import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pinnedNode, startServer, temporaryDirectory } from "../support/server.ts";
import { writeRole } from "./roles.ts";

const sentence = (text: string): RegExp => new RegExp(`ended with 1:\n${text}[^\n]*\\.\n$`);
const works = (...words: readonly string[]): boolean =>
  spawnSync(words[0] ?? "", words.slice(1)).status === 0;

/** A user subject to file modes: the one who runs the tests, or nobody if that is root. */
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const asSomebody = isRoot
  ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"]
  : [];
const launcher = new URL("../../server/cli/serve.ts", import.meta.url).pathname;
/** True unless the user nobody cannot access Node or the project's folder. */
const canBeSomebody =
  !isRoot ||
  (works(...asSomebody, pinnedNode(), "--version") && works(...asSomebody, "test", "-r", launcher));
/** True if tests can mount file systems in a private namespace. */
const canMount = works("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt");
const mounted = (script: string, directory: string): string[] => [
  "unshare",
  "--mount",
  "sh",
  "-c",
  `${script}\n"$@"\ncode=$?\nls -A "$0"\nexit $code`,
  directory,
];

describe("a start ends with exit code 1 and one sentence because of", () => {
  it.skipIf(!canBeSomebody)("a database that the user may not write", async () => {
    const dataDir = temporaryDirectory();
    const database = join(dataDir, "sealwright.db");
    writeFileSync(join(dataDir, "sealing-key"), `${Buffer.alloc(32, 1).toString("base64")}\n`);
    writeFileSync(database, "");
    if (isRoot)
      for (const path of [dataDir, join(dataDir, "sealing-key")]) chownSync(path, nobody, nobody);
    chmodSync(database, 0o400);
    await expect(startServer({ dataDir, within: asSomebody })).rejects.toThrow(
      sentence(`The database ${database} cannot be opened: `),
    );
    expect(existsSync(join(dataDir, "lock.db"))).toBe(false);
  });

  it.skipIf(!canMount)("a read-only data directory", async () => {
    const dataDir = temporaryDirectory();
    const within = mounted(`mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"`, dataDir);
    await expect(startServer({ dataDir, within })).rejects.toThrow(
      sentence(`DATA_DIR: ${dataDir} cannot be used \\(EROFS\\); `),
    );
  });

  it.skipIf(!canMount)("a full disk at the first start, where it leaves no files", async () => {
    const dataDir = temporaryDirectory();
    const within = mounted(
      `mount -t tmpfs -o size=4k tmpfs "$0"; cat /dev/zero > "$0/filler" 2>&1`,
      dataDir,
    );
    const told = await startServer({ dataDir, within }).catch(String);
    const output = String(told)
      .split("\n")
      .filter((line) => !line.startsWith("cat: "));
    expect(output).toEqual([
      expect.stringMatching(/ended with 1:$/),
      `${join(dataDir, "sealing-key")} cannot be written (ENOSPC).`,
      "filler",
      "",
    ]);
  });

  it.skipIf(!canMount)("a disk without room for the database", async () => {
    const dataDir = temporaryDirectory();
    const within = mounted(`mount -t tmpfs -o size=16k tmpfs "$0"`, dataDir);
    const told = String(await startServer({ dataDir, within }).catch(String));
    expect(told).toMatch(/^The database \S+ cannot be opened: database or disk is full\.$/m);
  });

  it("a file that is not a database, which it names and leaves unchanged", async () => {
    for (const spoilt of ["garbage".repeat(1_000), "SQLite format 3\0" + "garbage".repeat(1_000)]) {
      const dataDir = temporaryDirectory();
      const path = join(dataDir, "sealwright.db");
      writeFileSync(join(dataDir, "sealing-key"), `${Buffer.alloc(32, 1).toString("base64")}\n`);
      writeFileSync(path, spoilt);
      await expect(startServer({ dataDir })).rejects.toThrow(
        sentence(`The database ${path} cannot be opened: `),
      );
      expect(readFileSync(path, "utf8")).toBe(spoilt);
    }
  });

  it("a TLS key that does not match its certificate", async () => {
    const directory = temporaryDirectory();
    const [key, cert] = [join(directory, "key"), join(directory, "cert")];
    const made = spawnSync("openssl", [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-subj",
      "/CN=a",
      "-keyout",
      key,
      "-out",
      cert,
    ]);
    expect(made.status).toBe(0);
    const others = [
      generateKeyPairSync("rsa", { modulusLength: 2048 }),
      generateKeyPairSync("ed25519"),
      generateKeyPairSync("ec", { namedCurve: "P-384" }),
      generateKeyPairSync("ec", { namedCurve: "P-256" }),
    ];
    for (const [index, { privateKey }] of others.entries()) {
      const other = join(directory, String(index));
      writeFileSync(other, privateKey.export({ type: "pkcs8", format: "pem" }));
      await expect(startServer({ env: { TLS_CERT: cert, TLS_KEY: other } })).rejects.toThrow(
        sentence(`TLS_KEY: ${other} is not the key of the certificate in ${cert}`),
      );
    }
    await expect(startServer({ env: { TLS_CERT: cert, TLS_KEY: cert } })).rejects.toThrow(
      sentence("TLS cannot use TLS_CERT and TLS_KEY "),
    );
    expect(await (await startServer({ env: { TLS_CERT: cert, TLS_KEY: key } })).stop()).toBe(0);
  });
});

it.skipIf(!isRoot || !canBeSomebody)(
  "a server starts in an empty volume of root that its group can write, as in Kubernetes, but not in one of another user",
  async () => {
    const [volume, foreign] = [temporaryDirectory(), temporaryDirectory()];
    for (const [path, owner] of [
      [volume, 0],
      [foreign, 1],
    ] as const) {
      chownSync(path, owner, nobody);
      chmodSync(path, 0o2777);
    }
    // the group of the directory passes to the files, whose mode still excludes it
    const env = { SERVICE_ROOT_TOKEN: "root-token-of-a-test" };
    const server = await startServer({ dataDir: volume, env, within: asSomebody });
    expect(await server.stop()).toBe(0);
    for (const name of ["sealing-key", "sealwright.db"])
      expect([name, statSync(join(volume, name)).mode & 0o777]).toEqual([name, 0o600]);
    await expect(startServer({ dataDir: foreign, env, within: asSomebody })).rejects.toThrow(
      sentence(`DATA_DIR: ${foreign} cannot be used \\(EPERM\\); `),
    );
  },
);

it.each(["silent", "after a request"])(
  "idle clients, %s, cannot exhaust the open files even if they outnumber them",
  async (kind) => {
    const within = ["sh", "-c", 'ulimit -n 160; exec "$@"', "sh"];
    const server = await startServer({ within });
    const port = Number(new URL(server.url).port);
    const sockets = Array.from({ length: 400 }, (_, n) => {
      const socket = connect({
        host: "127.0.0.1",
        port,
        localAddress: `127.0.0.${2 + (n % 100)}`,
      }).resume();
      socket.on("error", () => undefined);
      return socket;
    });
    if (kind !== "silent")
      for (const socket of sockets) socket.write("GET /v1/sys/health HTTP/1.1\r\nHost: a\r\n\r\n");
    await Promise.all(
      sockets.map(
        (socket) =>
          new Promise(
            (resolve) =>
              void (kind === "silent"
                ? socket.once("connect", resolve)
                : socket.once("data", resolve).once("close", resolve)),
          ),
      ),
    );
    await writeRole(server, "a");
    for (const socket of sockets) socket.destroy();
    expect(server.output()).not.toContain("unexpectedly");
    expect(await server.stop()).toBe(0);
  },
);

it("the commands in the banner trust the certificate of TLS_CERT", async () => {
  const directory = join(temporaryDirectory(), "it's");
  mkdirSync(directory);
  const files = ["-keyout", join(directory, "key"), "-out", join(directory, "cert")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const names = ["-subj", "/CN=a", "-addext", "subjectAltName=IP:127.0.0.1"];
  expect(spawnSync("openssl", ["req", "-x509", ...curve, ...names, ...files]).status).toBe(0);
  const [TLS_CERT, TLS_KEY] = [join(directory, "cert"), join(directory, "key")];
  const server = await startServer({ env: { TLS_CERT, TLS_KEY } });
  const calls = server.output().match(/^ {2}(?:TOKEN=|curl ).+$/gm) ?? [];
  expect(calls).toHaveLength(4);
  const { status, stderr } = spawnSync("sh", ["-ec", calls.join("\n")], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, expect.not.stringContaining("SSL")]);
  expect(await server.stop()).toBe(0);
});

it.skipIf(!canMount)(
  "a server whose disk is full serves CRLs and CA certificates and rejects changes",
  async () => {
    const dataDir = temporaryDirectory();
    // 3 MiB, filled up after an authority was created there
    const script = `mount -t tmpfs -o size=3m tmpfs "$0"
      PORT=0 DATA_DIR="$0" "$@" & first=$!
      until [ -e "$0/address" ]; do sleep 0.05; done
      curl -sf -H "X-Service-Token: $(cat "$0/root-token")" -d '{"common_name":"Full","key_type":"ec"}' "$(cat "$0/address")/v1/pki/root/generate/internal" > /dev/null
      kill $first; wait $first
      cat /dev/zero > "$0/filler" 2> /dev/null
      PORT=0 DATA_DIR="$0" "$@" & second=$!
      until [ -e "$0/socket" ] || ! kill -0 $second; do sleep 0.05; done
      ask() { curl -s -o /dev/null -w "%{http_code}\\n" --unix-socket "$0/run/http" -H "X-Service-Token: $(cat "$0/root-token")" "$@"; }
      ask http://a/v1/pki/crl/pem; ask http://a/v1/pki/ca/pem
      cat /dev/zero >> "$0/filler" 2> /dev/null
      ask -d '{"ttl":"1h"}' http://a/v1/pki/roles/a
      kill $second; wait $second; echo "ended with $?"`;
    const env = { PATH: process.env["PATH"] ?? "", WORKERS: "1", DEMO_DIR: dataDir };
    const words = ["--mount", "sh", "-c", script, dataDir, pinnedNode(), launcher];
    const { stdout, stderr } = spawnSync("unshare", words, { env, encoding: "utf8" });
    expect(stdout.split("\n").slice(-5), stderr).toEqual(["200", "200", "503", "ended with 0", ""]);
  },
);
