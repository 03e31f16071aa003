/** Calls a path below `/v1` as an operator and returns the reply. */
export type Call = (
  path: string,
  body?: object,
) => Promise<{ readonly data?: Readonly<Record<string, unknown>> | null } | undefined>;

/** Password of the user `d1`. */
export const password = "correct horse battery";
/** Name and password of the device that may enrol. */
export const estUser = `d1:${password}`;

/** Prepares a mount where devices may enrol as in docs/est.md, with a password or a certificate. */
export async function prepareEst(call: Call): Promise<void> {
  const dataOf = async (path: string, body?: object) => (await call(path, body))?.data ?? {};
  const root = await dataOf("pki/root/generate/internal", {
    common_name: "EST Root",
    key_type: "ec",
    ttl: "87600h",
  });
  await call("pki/roles/device", {
    allowed_domains: "devices.example",
    allow_subdomains: true,
    key_type: "ec",
    ttl: "720h",
  });
  await call("sys/policies/acl/device", {
    policy: 'path "pki/roles/device/est/*" { capabilities = ["create", "update"] }',
  });
  const batch = { config: { token_type: "batch" } };
  await call("sys/auth/devices", { type: "userpass", ...batch });
  await call("sys/auth/certificates", { type: "cert", ...batch });
  await call("auth/devices/users/d1", { password, token_policies: "device" });
  const certificate = root["certificate"];
  await call("auth/certificates/certs/device", { certificate, token_policies: "device" });
  const accessorOf = async (method: string) => (await dataOf(`sys/auth/${method}`))["accessor"];
  const [userpass, cert] = [await accessorOf("devices"), await accessorOf("certificates")];
  await call("sys/mounts/pki/tune", { delegated_auth_accessors: [userpass, cert] });
  await call("pki/config/est", {
    enabled: true,
    default_mount: true,
    default_path_policy: "role:device",
    label_to_path_policy: { lab: "role:device" },
    csr_attributes: ["1.2.840.10045.2.1=1.3.132.0.34"],
    authenticators: {
      userpass: { accessor: userpass },
      cert: { accessor: cert, cert_role: "device" },
    },
  });
}
