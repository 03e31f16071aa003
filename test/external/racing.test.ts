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

describe("a configuration that changes while the external policy is asked", () => {
  it("the decision is applied again under the new one, without a second call", async () => {
    const it = await deciding();
    const end = readCertificate((await it.a.call("GET", "pki/cert/ca")).data["certificate"]);
    meanwhile(it, () =>
      it.a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior: "truncate" }),
    );
    const { status, data } = await it.sign();
    expect([status, data["expiration"]]).toEqual([200, String(end.notAfter)]);
    expect(it.asked).toHaveLength(1);
  });

  it("one that changes between the judgement and the commit too: asked once, issued by the last", async () => {
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

  it.each(forms)("%s is refused where the policy was disabled meanwhile", async (form) => {
    const it = await deciding();
    const before = await it.certificates();
    meanwhile(it, () => it.a.call("POST", "pki/config/external-policy", { enabled: false }));
    const { status, errors } = await it.post(`external-policy/${form}`, { csr: await plainCsr() });
    expect([status, errors]).toEqual([400, ["external policy is not enabled in this mount"]]);
    expect([await it.certificates(), it.asked.length]).toEqual([before, 1]);
  });

  it("an answer of a policy that was replaced meanwhile does not count", async () => {
    const it = await deciding();
    const before = await it.certificates();
    meanwhile(it, () => it.a.call("POST", "pki/config/external-policy", { timeout: "7s" }));
    const { status, headers, errors } = await it.sign();
    expect([status, String(errors)]).toEqual([503, expect.stringMatching(/policy changed/)]);
    expect(headers.get("retry-after")).toBe("1");
    expect([await it.certificates(), it.asked.length]).toEqual([before, 1]);
  });

  it.each(forms)("%s is refused where the issuer was removed meanwhile", async (form) => {
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

describe("a storage that fails after the answer of an external policy (security row 51)", () => {
  it("returns 503, leaves nothing behind, and accepts the same serial number when it is repeated", async () => {
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

  it.each(["get", "list", "commit"] as const)(
    "whatever check of it fails, at %s: nothing is issued",
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
        if (failing === "list" && status === 200) continue;
        expect([status >= 400, data["certificate"]]).toEqual([true, undefined]);
      }
      if (failing !== "list") expect(await it.certificates()).toEqual(before);
    },
  );
});

describe("log and audit of a decision by policy", () => {
  it("the policy, the issuer and the serial number, and nothing that went to the service", async () => {
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
