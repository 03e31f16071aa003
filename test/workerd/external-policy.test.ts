import { describe, expect, it } from "vitest";
import { apiOf, bound, secrets } from "./worker-fixture.ts";

const api = apiOf(bound);
const path = "/v1/pki/config/external-policy";
const asked = async (config: object) => {
  const written = await api("POST", path, { enabled: true, ...config });
  expect(written.status).toBe(200);
  return { ...(await api("POST", `${path}/check`)).data, warnings: written.warnings };
};

describe("a policy service bound to the Worker", () => {
  it("is called through its binding with the configured URL, without following redirects", async () => {
    expect(await asked({ service: "POLICY" })).toMatchObject({
      valid: true,
      message: "the service refused the request: POST https://external-policy/",
      warnings: "",
    });
    expect(await asked({ external_service_url: "https://policy.internal/a?b" })).toMatchObject({
      valid: true,
      message: "the service refused the request: POST https://policy.internal/a?b",
    });
    expect(await asked({ external_service_url: "https://policy.internal/moved" })).toMatchObject({
      valid: false,
      message: "the service returned a redirect, which is not followed",
    });
  });

  it.each(["MOUNT", "PUBLISHED", "ASSETS", ...Object.keys(secrets), "NOTHING", "toString"])(
    "cannot be the binding %s",
    async (service) => {
      expect(await asked({ service, external_service_url: "" })).toMatchObject({
        valid: false,
        message: "the deployment has no service with the name in the configuration",
        warnings: expect.stringContaining(`the deployment has no service ${service}`),
      });
    },
  );
});
