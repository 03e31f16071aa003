import { describe, expect, it } from "vitest";
import { readCertificate } from "../pki/reading.ts";
import { faultyStores, unreachable } from "../support/faulty.ts";
import { deciding, freshSerial, plainCsr, type Deciding } from "./deciding.ts";

/** Runs a function between the policy request and the commit. */
const meanwhile = (it: Deciding, happens: () => Promise<unknown>): void => {
  it.answer = async (asked) => {
    await happens();
    return it.yes(asked, { until: 90_000 * 3600 });
  };
};
const forms = ["issue", "sign", "sign-intermediate"] as const;

describe("a configuration change during a call of the external policy", () => {
  it("applies to the decision, without a second call", async () => {
    const it = await deciding();
    const end = readCertificate((await it.a.call("GET", "pki/cert/ca")).data["certificate"]);
    meanwhile(it, () =>
      it.a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior: "truncate" }),
    );
    const { status, data } = await it.sign();
    expect([status, data["expiration"]]).toEqual([200, String(end.notAfter)]);
    expect(it.asked).toHaveLength(1);
  });

  it("between the decision and the commit causes a retry without a second call", async () => {
    const faulty = faultyStores();
    const it = await deciding({ stores: faulty.stores });
    const uuid = await mountOf(it);
    let changed = false;
    it.answer = (asked) => {
      faulty.fault(uuid, (verb) => {
        if (verb !== "commit" || changed) return undefined;
        changed = true;
        faulty.fault(uuid, undefined);
        return it.a.pki
          .patchIssuer({ issuer_ref: "root", leaf_not_after_behavior: "truncate" })
          .then(() => undefined);
      });
      return it.yes(asked, { until: 70_000 * 3600 });
    };
    await it.a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior: "permit" });
    const { status } = await it.sign();
    expect([status, changed, it.asked.length]).toEqual([200, true, 1]);
  });

  it.each(forms)("makes %s fail if it disables the policy", async (form) => {
    const it = await deciding();
    const before = await it.certificates();
    meanwhile(it, () => it.a.call("POST", "pki/config/external-policy", { enabled: false }));
    const { status, errors } = await it.post(`external-policy/${form}`, { csr: await plainCsr() });
    expect([status, errors]).toEqual([400, ["external policy is not enabled in this mount"]]);
    expect([await it.certificates(), it.asked.length]).toEqual([before, 1]);
  });

  it("of the policy makes the request fail with 503, since the response may be outdated", async () => {
    const it = await deciding();
    const before = await it.certificates();
    meanwhile(it, () => it.a.call("POST", "pki/config/external-policy", { timeout: "7s" }));
    const { status, headers, errors } = await it.sign();
    expect([status, String(errors)]).toEqual([503, expect.stringMatching(/policy changed/)]);
    expect(headers.get("retry-after")).toBe("1");
    expect([await it.certificates(), it.asked.length]).toEqual([before, 1]);
  });

  it.each(forms)("makes %s fail if it deletes the issuer", async (form) => {
    const it = await deciding();
    meanwhile(it, () => it.a.call("DELETE", "pki/issuer/root"));
    const { status } = await it.post(`external-policy/${form}`, { csr: await plainCsr() });
    expect([status, it.asked.length]).toEqual([400, 1]);
  });
});

const mountOf = async ({ a }: Deciding): Promise<string> => {
  const { json } = await a.call("GET", "sys/mounts/pki");
  return String((json["data"] as Readonly<Record<string, unknown>>)["uuid"]);
};

describe("a storage failure after the response of an external policy (security row 51)", () => {
  it("causes a 503 and stores nothing, and a retry may use the same serial number", async () => {
    const faulty = faultyStores();
    const it = await deciding({ stores: faulty.stores });
    const before = await it.certificates();
    const uuid = await mountOf(it);
    const serial = freshSerial();
    it.answer = (asked) => {
      faulty.fault(uuid, (verb) => (verb === "commit" ? unreachable() : undefined));
      return it.yes(asked, { serial });
    };
    expect((await it.sign()).status).toBe(503);
    faulty.fault(uuid, undefined);
    expect([await it.certificates(), it.asked.length]).toEqual([before, 1]);
    it.answer = (asked) => it.yes(asked, { serial });
    expect((await it.sign()).status).toBe(200);
  });

  it.each(["get", "commit"] as const)(
    "in %s causes an error, and nothing is issued",
    async (failing) => {
      const faulty = faultyStores();
      const it = await deciding({ stores: faulty.stores });
      const before = await it.certificates();
      const uuid = await mountOf(it);
      for (const form of forms) {
        it.answer = async (asked) => {
          const answer = await it.yes(asked);
          faulty.fault(uuid, (verb) => (verb === failing ? unreachable() : undefined));
          return answer;
        };
        const { status, data } = await it.post(`external-policy/${form}`, {
          csr: await plainCsr(),
        });
        faulty.fault(uuid, undefined);
        expect([status >= 400, data["certificate"]]).toEqual([true, undefined]);
      }
      expect(await it.certificates()).toEqual(before);
    },
  );
});

describe("log and audit of a decision by an external policy", () => {
  it("have the serial number, but nothing that was sent to the service", async () => {
    const it = await deciding();
    const { data } = await it.post("issuer/root/external-policy/sign/servers", {
      csr: await plainCsr(),
      secret: "canary",
    });
    const event = it.a.events.find(({ endpoint }) => endpoint === "signByPolicy");
    expect(event?.fields).toMatchObject({
      serial: String(data["serial_number"]).replaceAll(":", ""),
    });
    expect(JSON.stringify(it.a.events)).not.toContain("canary");
  });
});
