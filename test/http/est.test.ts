import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandsOf } from "../support/documents.ts";
import { startServer, type RunningServer } from "../support/server.ts";
import { noteEvents } from "./api.ts";
import { directoryWith } from "./openssl.ts";

let server: RunningServer;
const directory = directoryWith();
beforeAll(async () => {
  server = await startServer({ env: { LOG: "json" } });
});
afterAll(() => server.stop());
noteEvents(() => server);

/** Runs commands of docs/est.md unchanged. */
function run(commands: string): string {
  return execFileSync("sh", ["-euc", commands], {
    cwd: directory,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], TOKEN: server.token, URL: server.url },
  });
}

describe("EST under npm start", () => {
  it("a device enrols with the commands of docs/est.md", () => {
    const commands = commandsOf("docs/est.md").replace(/^export URL=.*$/m, "");
    expect(commands).toContain("simpleenroll");
    run(commands);
    expect(run("openssl verify -CAfile ca.pem d1.pem")).toBe("d1.pem: OK\n");
    const [own, certified] = run(
      "openssl pkey -in d1.key -pubout; echo; openssl x509 -in d1.pem -noout -pubkey",
    ).split("\n\n");
    expect(certified?.trim()).toBe(own?.trim());
  });

  it("client certificates in headers are ignored, and unsupported operations return 404", () => {
    const curl = (...args: readonly string[]): string =>
      execFileSync("curl", ["-sS", "-o", "/dev/null", "-w", "%{http_code}", ...args], {
        encoding: "utf8",
        cwd: directory,
      });
    const est = `${server.url}/.well-known/est`;
    const pem = readFileSync(join(directory, "d1.pem"), "latin1").replaceAll(/\s+/g, " ");
    const sent = ["-H", "Content-Type: application/pkcs10", "--data-binary", "@d1.csr"];
    for (const name of ["X-SSL-Client-Cert", "Client-Cert", "CF-Client-Cert-DER-Base64"])
      expect(curl(...sent, "-H", `${name}: ${pem}`, `${est}/simplereenroll`)).toBe("401");
    const basic = ["-u", "d1:correct horse battery"];
    expect(curl(...sent, ...basic, `${est}/simplereenroll`)).toBe("403");
    expect(curl(...sent, ...basic, `${est}/fullcmc`)).toBe("404");
    expect(curl(`${est}/csrattrs`)).toBe("204");
    expect(curl("-I", `${est}/cacerts`)).toBe("200");
    expect(curl(`${est}`)).toBe("404");
  });
});
