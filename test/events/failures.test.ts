import { expect, it } from "vitest";
import type { CaEvent } from "../../src/index.ts";
import { CaError } from "../../src/base/errors.ts";
import { acmeWorld, until } from "../acme/validation-world.ts";
import { authority } from "../support/authority.ts";

it("a CRL that cannot be built raises one event until it is built again", async () => {
  const events: CaEvent[] = [];
  const a = authority({
    events: (event) => void (event.type === "sealwright.crl.failed" && events.push(event)),
  });
  await a.root();
  await a.role("web");
  const revoke = async () => {
    const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.example" });
    await a.pki.revoke({ serial_number });
  };
  await a.pki.writeCrlConfig({ max_crl_entries: 0 });
  await revoke();
  await revoke();
  expect(events).toMatchObject([
    {
      source: "/v1/pki",
      data: { mount: "pki", reason: expect.stringContaining("max_crl_entries") as string },
    },
  ]);
  await a.pki.writeCrlConfig({ max_crl_entries: 2 });
  await a.pki.rotateCrl({});
  await revoke();
  expect(events).toHaveLength(2);
});

it("an ACME challenge that fails permanently raises an event with the problem", async () => {
  const events: CaEvent[] = [];
  const w = await acmeWorld({
    events: (event) => void (event.type.includes(".acme.") && events.push(event)),
    challenger: () => Promise.reject(new CaError("incorrect_response", "not the answer")),
  });
  await w.order("acc", ["a"]);
  await w.ca.tick();
  await until(async () => (await w.authz("a")).status === "invalid");
  expect(events).toMatchObject([
    {
      type: "sealwright.acme.challenge.failed",
      subject: "a.example",
      data: {
        account: "acc",
        order: "a",
        challenge: "http-01",
        problem: { type: "incorrectResponse", detail: "not the answer" },
      },
    },
  ]);
});
