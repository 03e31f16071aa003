// The tests of other projects that fail by design, each with the reason.

type Reasons = Readonly<Record<string, string>>;

const cmp = "CMPv2 is not offered";
const scep = "SCEP is not offered";
const registry = "the test downloads an older provider from the registry";
const uriConstraint =
  "a name constraint for URIs is a host or a domain (RFC 5280 section 4.2.1.10), not https://…";
const policyName = "policy names have no brackets; the test names a policy ['testpolicy']";

/** Tests of the Terraform provider. */
export const terraformProviderByDesign: Reasons = {
  TestAccDataSourcePKISecretConfigCMPV2: cmp,
  TestAccPKISecretBackendConfigCMPV2_AllFields: cmp,
  TestAccPKISecretBackendConfigCMPV2_AllFields_Pre1185: cmp,
  TestAccPKISecretBackendConfigCMPV2_ChangeFields: cmp,
  TestAccPKISecretBackendConfigCMPV2_Empty: cmp,
  TestAccDataSourcePKISecretConfigScep: scep,
  TestAccPKISecretBackendConfigScep_AllFields: scep,
  TestAccPKISecretBackendConfigScep_Docs: scep,
  TestAccPKISecretBackendConfigScep_Empty: scep,
  TestAccPKISecretBackendConfigScep_UnsetString: scep,
  TestPkiSecretBackendCert_Upgrade: registry,
  TestPkiSecretBackendRootSignIntermediate_Upgrade: registry,
  TestPkiSecretBackendSign_Upgrade: registry,
  TestPkiSecretBackendConfigCluster_basic:
    "`npm start` sets config/cluster of a new mount to its own address; the test expects none",
  TestPkiSecretBackendCrlConfig:
    "max_crl_entries of a new mount is -1 (no limit); the test expects 100000",
  TestPkiSecretBackendRootCertificate_name_constraints: uriConstraint,
  TestPkiSecretBackendRootSignIntermediate_name_constraints_pem_bundle: uriConstraint,
};

/** Tests of Python's client. */
export const hvacByDesign: Reasons = {
  "api/auth_methods/test_token.py::TestToken::test_create_token_w_role": policyName,
  "api/auth_methods/test_token.py::TestToken::test_create_wrapped_token_w_role": policyName,
};

/** Tests of Node's client. */
export const nodeVaultByDesign: Reasons = {
  "integration node-vault should initialize a vault server":
    "the server initializes itself, and its refusal says so in another text than the test expects",
};
