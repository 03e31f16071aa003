import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type RunningServer } from "../support/server.ts";
import { noteEvents } from "./api.ts";
import { directoryWith, openssl } from "./openssl.ts";

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { LOG: "json", SEALWRIGHT_TEST_CLOCK: "1" } });
});
afterAll(() => server.stop());
noteEvents(() => server);

/** Returns the banner, which LOG=json prints as one line. */
const banner = (): string =>
  (
    JSON.parse(
      server
        .output()
        .split("\n")
        .find((line) => line.includes('"message":"Sealwright serves')) ?? "",
    ) as { readonly message: string }
  ).message;

const directory = directoryWith();
const save = (name: string, ...texts: string[]): void =>
  writeFileSync(join(directory, name), `${texts.join("\n")}\n`);

/** Runs curl in the directory and returns the response body. */
function curl(...args: string[]): string {
  return execFileSync("curl", ["-sS", "--max-time", "60", ...args], {
    cwd: directory,
    encoding: "utf8",
  });
}
type Data = Record<string, string> & { readonly keys: string[] };
function call(path: string, ...args: string[]): Data {
  const answer = curl(
    "-H",
    `X-Service-Token: ${server.token}`,
    ...args,
    `${server.url}/v1/pki/${path}`,
  );
  const { data, errors } = JSON.parse(answer) as { data: Data; errors?: string[] };
  expect(errors, path).toBeUndefined();
  return data;
}
const post = (path: string, body: unknown): Data => call(path, "-d", JSON.stringify(body));

describe("a new user with nothing but curl", () => {
  it("obtains a certificate with the commands of the banner", () => {
    const commands = banner()
      .split("\n")
      .filter((line) => /^ {2}(?:TOKEN=|curl )/.test(line));
    expect(commands).toHaveLength(4);
    const [token = "", ...calls] = commands;
    const answers = calls.map((command, at) => {
      // a user needs longer than a second between commands; the leaf must still not outlive the root
      curl(
        "-X",
        "PUT",
        "-d",
        JSON.stringify({ now: Date.now() + (at - calls.length + 1) * 3_600_000 }),
        `${server.url}/test/clock`,
      );
      return execFileSync("sh", ["-ec", `${token}\n${command}`], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    });
    const [root, role, leaf] = answers.map((line) => (JSON.parse(line) as { data: Data }).data);
    expect(role?.["allowed_domains"]).toEqual(["example.com"]);
    save("first-root.pem", root?.["certificate"] ?? "");
    save("first-leaf.pem", leaf?.["certificate"] ?? "");
    expect(
      openssl(directory, "verify", "-x509_strict", "-CAfile", "first-root.pem", "first-leaf.pem"),
    ).toEqual({ code: 0, output: "first-leaf.pem: OK\n" });
  });

  it("finds the user and organization of the variables API under the names in the banner", () => {
    const [, user, organization] =
      /^ {2}vars user {3}(\S+), in the organization (\S+)$/m.exec(banner()) ?? [];
    const [, path = ""] = /^ {2}vars token {2}in (\S+)$/m.exec(banner()) ?? [];
    const token = readFileSync(path, "utf8").trim();
    const ask = (path: string) =>
      JSON.parse(
        curl("-H", `Authorization: Bearer ${token}`, `${server.url}/api/v2/${path}`),
      ) as unknown;
    expect(ask("account/details")).toMatchObject({ data: { attributes: { username: user } } });
    expect(ask("organizations")).toMatchObject({ data: [{ id: organization }] });
  });

  it("lists with LIST, list=true or X-HTTP-Method-Override, none of which works without a token", () => {
    const { serial_number: serial = "" } = post("issue/web", { common_name: "api.example.com" });
    const override = "X-HTTP-Method-Override: LIST";
    // list=false, so that only the method or the header requests a listing
    const ways = [
      ["certs", "-X", "LIST"],
      ["certs?list=false", "-X", "LIST"],
      ["certs?list=true"],
      ["certs?list=false", "-H", override],
    ] as const;
    for (const [path, ...args] of ways) {
      const { keys } = call(path, ...args);
      expect([path, args, keys.includes(serial)]).toEqual([path, args, true]);
      const denied = JSON.parse(curl(...args, `${server.url}/v1/pki/${path}`)) as unknown;
      expect([path, args, denied]).toEqual([
        path,
        args,
        { errors: ["1 error occurred:\n\t* permission denied\n\n"] },
      ]);
    }
    expect(
      curl(
        "-o",
        "none",
        "-w",
        "%{http_code}",
        "-H",
        `X-Service-Token: ${server.token}`,
        `${server.url}/v1/pki/certs?list=false`,
      ),
    ).toBe("405");
    expect(call("roles", "-X", "LIST").keys).toEqual(["web"]);
  });
});
