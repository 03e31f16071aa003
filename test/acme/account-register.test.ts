import { describe, expect, it } from "vitest";
import { authority } from "../support/authority.ts";
import { accountUrl, clientKey, directory, registering, distantStore } from "./registering.ts";

describe("new-account (acmeNewAccount)", () => {
  it("B 5.7 new key, B 5.1 new-account, B 5.2 always sent: returns 201 with the account and its URL", async () => {
    const { acme, key } = await registering();
    const contact = ["mailto:a@example.com", "tel:+4912345"];
    const made = await acme.post("/new-account", key, { contact, termsOfServiceAgreed: true });
    const url = accountUrl(made);
    expect(url).toMatch(
      /^http:\/\/ca\.test\/v1\/pki\/acme\/account\/[0-3][0-9a-f]{7}-[0-9a-f]{4}-8[0-9a-f-]{21}$/,
    );
    expect([made.status, made.json]).toEqual([
      201,
      { status: "valid", orders: `${url}/orders`, contact },
    ]);
    expect(made.headers.get("replay-nonce")).toMatch(/./);
    expect(made.headers.get("link")).toBe(`<${acme.url("/directory")}>;rel="index"`);
    expect(made.headers.get("content-type")).toBe("application/json");
  });

  it("B 5.7 key already registered: returns 200 with the existing account, and ignores contact and binding", async () => {
    const { acme, key } = await registering();
    const made = await acme.post("/new-account", key, { contact: ["mailto:a@example.com"] });
    const again = await acme.post("/new-account", key, {
      contact: ["of a version that took any text"],
      externalAccountBinding: { protected: "?", payload: "", signature: "" },
    });
    expect([again.status, again.json]).toEqual([200, made.json]);
    expect(accountUrl(again)).toBe(accountUrl(made));
  });

  it("B 5.7 onlyReturnExisting: returns the account of the key, and never registers one", async () => {
    const { a, acme, key } = await registering();
    const none = await acme.post("/new-account", key, { onlyReturnExisting: true });
    expect([none.status, none.problem]).toEqual([400, "accountDoesNotExist"]);
    expect((await a.call("LIST", "pki/acme/mgmt/account/keyid")).status).toBe(404);
    const made = await acme.post("/new-account", key, {});
    const found = await acme.post("/new-account", key, { onlyReturnExisting: true });
    expect([found.status, accountUrl(found)]).toEqual([200, accountUrl(made)]);
  });

  it("B 5.7 key of another directory: is malformed, because a key has one account per mount", async () => {
    const { a, acme, key } = await registering();
    await acme.post("/new-account", key, {});
    for (const prefix of ["roles/web/acme", "issuer/default/acme"])
      for (const payload of [{}, { onlyReturnExisting: true }]) {
        const refused = await directory(a, prefix).post("/new-account", key, payload);
        expect([refused.status, refused.problem]).toEqual([400, "malformed"]);
        expect(refused.json["detail"]).toBe("account part of different ACME directory path");
      }
  });

  it("B 5.7 kid on new-account: is malformed", async () => {
    const { acme, key } = await registering();
    const kid = accountUrl(await acme.post("/new-account", key, {}));
    const refused = await acme.post("/new-account", key, {}, { kid });
    expect([refused.status, refused.problem]).toEqual([400, "malformed"]);
  });

  it.each<readonly [string, unknown, string]>([
    ["a text", "mailto:a@example.com", "malformed"],
    ["numbers", [1], "malformed"],
    ["a map", { a: "b" }, "malformed"],
    ["an empty text", [""], "invalidContact"],
    ["too long a text", [`mailto:${"x".repeat(82)}@example.com`], "invalidContact"],
    ["too many", Array.from({ length: 5 }, (_, n) => `mailto:${n}@example.com`), "invalidContact"],
    ["no URL", ["a@example.com"], "invalidContact"],
    ["header fields", ["mailto:a@example.com?subject=x"], "invalidContact"],
    ["several addresses", ["mailto:a@example.com,b@example.com"], "invalidContact"],
    ["no address", ["mailto:example.com"], "invalidContact"],
    ["a control character", ["mailto:a\u0000@example.com"], "invalidContact"],
    ["a telephone number with parameters of its URL", ["tel:+49?x"], "invalidContact"],
    ["another scheme", ["mailto:a@example.com", "https://example.com/"], "unsupportedContact"],
    ["a script", ["javascript:alert(1)"], "unsupportedContact"],
  ])("B 5.7 contact: rejects %s", async (_, contact, type) => {
    const { acme, key } = await registering();
    const refused = await acme.post("/new-account", key, { contact });
    expect([refused.status, refused.problem]).toEqual([400, type]);
    const none = await acme.post("/new-account", key, { onlyReturnExisting: true });
    expect(none.problem).toBe("accountDoesNotExist");
    const made = await acme.post("/new-account", key, {});
    const kid = made.headers.get("location") ?? "";
    const updated = await acme.post(kid.slice(acme.url("").length), key, { contact }, { kid });
    expect([updated.status, updated.problem]).toEqual([400, type]);
  });

  it("B 5.7 contact: removes spaces after the colon of a URL", async () => {
    const { acme } = await registering();
    const made = await acme.post("/new-account", await clientKey(), {
      contact: ["mailto: a@example.com"],
    });
    expect(made.json["contact"]).toEqual(["mailto:a@example.com"]);
  });

  it("B 5.7 contact: accepts up to four mailto and tel URLs of at most 100 characters, or none", async () => {
    const { acme } = await registering();
    for (const contact of [undefined, null, "", []])
      expect(
        (await acme.post("/new-account", await clientKey(), { contact })).json,
      ).not.toHaveProperty("contact");
    const contact = [
      `mailto:${"x".repeat(81)}@example.com`,
      "MAILTO:ü@example.com",
      "mailto:a%2Cb%3F@example.com",
      "tel:+49-30-1234",
    ];
    const made = await acme.post("/new-account", await clientKey(), { contact });
    expect(made.json["contact"]).toEqual(contact);
  });

  it("B 5.5 absent members: null and the empty string count as absent", async () => {
    const { acme } = await registering();
    for (const absent of [null, ""]) {
      const key = await clientKey();
      const payload = {
        contact: absent,
        termsOfServiceAgreed: absent,
        onlyReturnExisting: absent,
        externalAccountBinding: absent,
      };
      const made = await acme.post("/new-account", key, payload);
      expect([made.status, made.json]).toEqual([
        201,
        { status: "valid", orders: expect.anything() },
      ]);
      const kid = accountUrl(made);
      const path = kid.slice(acme.url("").length);
      const contact = ["mailto:a@example.com"];
      await acme.post(path, key, { contact }, { kid });
      const update = { contact: absent, status: absent, externalAccountBinding: absent };
      const { status, json } = await acme.post(path, key, update, { kid });
      expect([status, json["status"], json["contact"]]).toEqual([200, "valid", contact]);
    }
  });

  it("B 5.7 termsOfServiceAgreed: may be true or false", async () => {
    const { acme } = await registering();
    for (const termsOfServiceAgreed of [true, false])
      expect(
        (await acme.post("/new-account", await clientKey(), { termsOfServiceAgreed })).status,
      ).toBe(201);
  });

  it("creates one account per key if registrations are concurrent, across engines", async () => {
    for (let round = 0; round < 5; round++) {
      const stores = distantStore();
      const { a, key } = await registering({ stores });
      const b = authority({ stores, seed: 50 + round });
      const answers = await Promise.all(
        [a, b, a, b].map((one) => directory(one).post("/new-account", key, {})),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201]);
      expect(new Set(answers.map(accountUrl)).size).toBe(1);
      expect((await a.call("LIST", "pki/acme/mgmt/account/keyid")).data["keys"]).toHaveLength(1);
    }
  });
});

describe("an account (acmeAccount)", () => {
  async function registered(contact: readonly string[] = ["mailto:a@example.com"]) {
    const { a, acme, key } = await registering();
    const kid = accountUrl(await acme.post("/new-account", key, { contact }));
    const path = kid.slice(acme.url("").length);
    return { a, acme, key, kid, path };
  }

  it("B 5.1 account/:kid, B 5.7 update: is read with an empty payload; contact is replaced if sent, and cleared by an empty array", async () => {
    const { acme, key, kid, path } = await registered();
    const read = async () => (await acme.post(path, key, undefined, { kid })).json["contact"];
    expect(await read()).toEqual(["mailto:a@example.com"]);
    const contact = ["mailto:b@example.com", "mailto:c@example.com"];
    const changed = await acme.post(path, key, { contact }, { kid });
    expect([changed.status, changed.json["contact"]]).toEqual([200, contact]);
    expect(await read()).toEqual(contact);
    // another status is ignored
    await acme.post(path, key, { contact, status: "valid", onlyReturnExisting: true }, { kid });
    expect(await read()).toEqual(contact);
    for (const other of [{}, { foo: 1 }, { termsOfServiceAgreed: true }]) {
      expect((await acme.post(path, key, other, { kid })).json["contact"]).toEqual(contact);
      expect(await read()).toEqual(contact);
    }
    const cleared = await acme.post(path, key, { contact: [] }, { kid });
    expect(cleared.json).not.toHaveProperty("contact");
    expect(await read()).toBeUndefined();
  });

  it("B 5.7 update: rejects a binding and an invalid contact, and changes nothing", async () => {
    const { acme, key, kid, path } = await registered();
    const refused = await acme.post(path, key, { externalAccountBinding: {} }, { kid });
    expect([refused.status, refused.problem]).toEqual([400, "malformed"]);
    expect((await acme.post(path, key, { contact: "x" }, { kid })).problem).toBe("malformed");
    expect((await acme.post(path, key, { contact: [""] }, { kid })).problem).toBe("invalidContact");
    const { json } = await acme.post(path, key, undefined, { kid });
    expect(json["contact"]).toEqual(["mailto:a@example.com"]);
  });

  it("B 5.7 deactivated, B 5.7 account not valid, security row 28: is deactivated permanently, and all later requests are rejected", async () => {
    const { acme, key, kid, path } = await registered();
    const gone = await acme.post(path, key, { status: "deactivated" }, { kid });
    expect([gone.status, gone.json["status"]]).toEqual([200, "deactivated"]);
    expect(gone.json["contact"]).toEqual(["mailto:a@example.com"]);
    for (const [suffix, payload] of [
      [path, undefined],
      [path, { status: "valid" }],
      [path, { status: "deactivated" }],
      ["/orders", undefined],
      [`${path}/orders`, undefined],
      ["/key-change", {}],
    ] as const) {
      const refused = await acme.post(suffix, key, payload, { kid });
      expect([suffix, refused.status, refused.problem]).toEqual([suffix, 401, "unauthorized"]);
    }
    for (const payload of [{}, { onlyReturnExisting: true }]) {
      const refused = await acme.post("/new-account", key, payload);
      expect([refused.status, refused.problem]).toEqual([401, "unauthorized"]);
    }
  });

  it("security row 27: cannot be read or changed by another account", async () => {
    const { acme, path, key, kid } = await registered();
    const other = await clientKey();
    const theirs = accountUrl(await acme.post("/new-account", other, {}));
    for (const payload of [undefined, {}, { status: "deactivated" }]) {
      const refused = await acme.post(path, other, payload, { kid: theirs });
      expect([refused.status, refused.problem]).toEqual([401, "unauthorized"]);
      // nor with the kid of this account and another key
      expect((await acme.post(path, other, payload, { kid })).problem).toBe("malformed");
    }
    expect((await acme.post(path, key, undefined, { kid })).json["status"]).toBe("valid");
  });
});
