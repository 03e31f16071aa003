import { hash } from "bcrypt-ts/browser";
import { afterEach, describe, expect, it, vi } from "vitest";
import { authority, type Authority } from "../../support/authority.ts";
import { hashCheaply } from "../../support/cheap-passwords.ts";

vi.mock("bcrypt-ts/browser", { spy: true });
hashCheaply();
afterEach(() => void vi.restoreAllMocks());

const password = "correct horse ä";
/** Hashes of the password by crypt(3) of libxcrypt, one of each version. */
const hashes = {
  "2a": "$2a$06$abcdefghijklmnopqrstuuHHPhd1EoQAR7p5xIyDbX1MqcG0qKHEK",
  "2b": "$2b$04$abcdefghijklmnopqrstuu960j13X6kQlzbqdzgQcooaqGRvuvICC",
  "2y": "$2y$05$abcdefghijklmnopqrstuu.xPI0D/04JlWcnvHoilxCp1m8QXBO4O",
} as const;
const password_hash = hashes["2b"];
/** Known passwords and hashes of the test vectors of crypt_blowfish and jBCrypt. */
const vectors = [
  ["U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
  ["U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"],
  ["U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"],
  ["a", "$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe"],
  // a salt whose last character has bits that implementations ignore
  ["a", "$2b$04$abcdefghijklmnopqrstuvMFdJu9yVgmagVAIC24fOZkaFqd3s9JC"],
] as const;

async function prepared(): Promise<Authority> {
  const a = authority();
  await a.call("POST", "sys/auth/userpass", { type: "userpass" });
  return a;
}
const write = (a: Authority, body: object, path = "users/bob") =>
  a.call("POST", `auth/userpass/${path}`, body);
const enter = async (a: Authority, name: string, given: string) =>
  (await a.call("POST", `auth/userpass/login/${name}`, { password: given }, { token: "" })).status;
const stored = async (a: Authority) => JSON.stringify(await a.stores("sys").list("methoddata/"));

describe("an imported password hash", () => {
  it.each(Object.entries(hashes))(
    "of bcrypt version %s logs a user in, and the first login replaces it by a native hash",
    async (_, imported) => {
      const a = await prepared();
      expect((await write(a, { password_hash: imported, policies: "web" })).status).toBe(204);
      expect(await enter(a, "bob", "wrong")).toBe(400);
      expect(await stored(a)).toContain(imported);
      expect(await enter(a, "bob", password)).toBe(200);
      expect(await stored(a)).not.toContain(imported);
      expect((await a.call("GET", "auth/userpass/users/bob")).data["token_policies"]).toEqual([
        "web",
      ]);
      expect(await enter(a, "bob", password)).toBe(200);
      expect(await enter(a, "bob", "wrong")).toBe(400);
    },
  );
  it.each(vectors)(
    "of a known test vector accepts only its password: %s %s",
    async (known, imported) => {
      const a = await prepared();
      await write(a, { password_hash: imported });
      expect(await enter(a, "bob", `${known}x`)).toBe(400);
      expect(await enter(a, "bob", known)).toBe(200);
    },
  );

  it("replaces a password and unlocks the user, and a new password replaces it", async () => {
    const a = await prepared();
    await write(a, { password: "old", policies: "web" });
    for (let n = 0; n < 5; n++) await enter(a, "bob", "wrong");
    expect((await write(a, { password_hash }, "users/bob/password")).status).toBe(204);
    expect(await enter(a, "bob", "old")).toBe(400);
    expect(await enter(a, "bob", password)).toBe(200);
    // like Terraform's update of a user that it created
    expect((await write(a, { password_hash: hashes["2y"], token_ttl: "1h" })).status).toBe(204);
    expect(await stored(a)).toContain(hashes["2y"]);
    await write(a, { token_ttl: "2h" });
    expect(await enter(a, "bob", password)).toBe(200);
    await write(a, { password_hash });
    await write(a, { password: "new" });
    expect(await enter(a, "bob", password)).toBe(400);
    expect(await enter(a, "bob", "new")).toBe(200);
  });

  it("matches no password that bcrypt would truncate at 72 bytes, or that contains a NUL", async () => {
    const a = await prepared();
    const long = "$2b$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i";
    await write(a, { password_hash: long });
    expect(await enter(a, "bob", "x".repeat(73))).toBe(400);
    expect(await enter(a, "bob", "x".repeat(72))).toBe(200);
    await write(a, { password_hash: vectors[3][1] });
    // bcrypt repeats a password including its terminating NUL
    expect(await enter(a, "bob", "a\0a")).toBe(400);
    expect(await enter(a, "bob", "a")).toBe(200);
  });

  it("is rejected together with a password, in another format or with another cost, and neither quoted nor stored", async () => {
    const a = await prepared();
    const of = (start: string) => start + "a".repeat(53);
    const form =
      "password_hash must be a bcrypt hash of 60 characters that begins with $2a$, $2b$ or $2y$";
    const cost = (found: number) =>
      `password_hash has cost ${found}, but the cost must be 4 to 10, because every login attempt takes the CPU time of a hash`;
    for (const path of ["users/bob", "users/bob/password"])
      for (const [body, text] of [
        [{ password, password_hash }, "send either password or password_hash, not both"],
        [{ password_hash: "$6$rounds=5000$salt$hash" }, form],
        [{ password_hash: of("$2x$10$") }, form],
        [{ password_hash: of("$2$10$") }, form],
        [{ password_hash: `${password_hash}\n` }, form],
        [{ password_hash: password_hash.slice(0, -1) }, form],
        [{ password_hash: of("$2b$11$") }, cost(11)],
        [{ password_hash: of("$2b$03$") }, cost(3)],
        [{ password_hash: "" }, "missing password"],
      ] as const) {
        const { status, errors } = await write(a, body, path);
        expect([body, status, errors]).toEqual([body, 400, [text]]);
      }
    expect(await a.stores("sys").list("methoddata/")).toEqual([]);
  });

  it("appears in no response and not in the log", async () => {
    const a = await prepared();
    await write(a, { password_hash });
    await enter(a, "bob", "wrong");
    const { text } = await a.call("GET", "auth/userpass/users/bob");
    await enter(a, "bob", password);
    const audit = await a.stores("sys").list("audit/");
    const told = JSON.stringify([audit, a.events, text]);
    expect(told).toContain("loginUser");
    expect(told).not.toContain(password_hash.slice(7));
  });

  it("does not override a password that is set while a login checks the hash", async () => {
    const a = await prepared();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    await write(a, { password_hash });
    const { hash: real } = await vi.importActual<{ hash: typeof hash }>("bcrypt-ts/browser");
    vi.mocked(hash).mockImplementationOnce(async (...of) => {
      await write(b, { password: "new" });
      return real(...of);
    });
    expect(await enter(a, "bob", password)).toBe(400);
    expect(await enter(a, "bob", "new")).toBe(200);
  });
  it("accepts two concurrent first logins on two engines", async () => {
    const a = await prepared();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    await write(a, { password_hash });
    const both = [enter(a, "bob", password), enter(b, "bob", password)];
    expect(await Promise.all(both)).toEqual([200, 200]);
    expect(await stored(a)).not.toContain(password_hash);
  });

  it("does not reveal which users have one: every rejected login of the method does the same work", async () => {
    const a = await prepared();
    await write(a, { password_hash: hashes["2a"] });
    await write(a, { password_hash }, "users/ann");
    await write(a, { password }, "users/eve");
    const derive = vi.spyOn(crypto.subtle, "deriveBits");
    const work = async (name: string, given: string) => {
      vi.mocked(hash).mockClear();
      derive.mockClear();
      expect(await enter(a, name, given)).toBe(400);
      const rounds = vi
        .mocked(hash)
        .mock.calls.map(([, salt]) => 2 ** Number(String(salt).slice(4, 6)));
      return [rounds.reduce((sum, one) => sum + one, 0), derive.mock.calls.length];
    };
    for (const name of ["bob", "ann", "eve", "nobody"])
      for (const wrong of ["wrong", "x".repeat(100), "a\0a"])
        expect([name, ...(await work(name, wrong))]).toEqual([name, 2 ** 6, 1]);
    // locked, and with the right password
    for (const name of ["ann", "eve"]) {
      for (let n = 0; n < 2; n++) await enter(a, name, "wrong");
      expect([name, ...(await work(name, password))]).toEqual([name, 2 ** 6, 1]);
    }
    expect(await stored(a)).toContain(password_hash);
  });
});
