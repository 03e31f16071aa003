// Tests of other projects that fail by design, each with the reason.

type Reasons = Readonly<Record<string, string>>;

const cmp = "CMPv2 is not offered";
const scep = "SCEP is not offered";
const registry = "the test downloads an older provider from the registry";
const uriConstraint =
  "a name constraint for URIs is a host or a domain (RFC 5280 section 4.2.1.10), not https://…";
const namespaces = "namespaces are not offered";
const github = "the login method github is not offered";
const kv = "the engine kv is not offered";
const transit = "the engine transit is not offered";
const cloud = "engines and login methods of cloud providers are not offered";
const internet = "the test configures discovery at a host of the internet, or namespaces";
const kubernetesHost = "kubernetes_host must be an https URL; the test sends an http URL";
const selector = "selectors of labels of namespaces are not offered";

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
  TestResourceMount_IDTokenKey: cloud,
  TestAccAuthBackend: github,
  TestAccAuthBackend_importBasic: github,
  TestAccAuthBackend_importTune: github,
  TestAccAuthBackend_remount: github,
  TestAccAuthBackend_tuning: github,
  TestAccIdentityEntityAlias: github,
  TestAccIdentityEntityAlias_ExternalIDIssuer: github,
  TestAccIdentityEntityAlias_Metadata: github,
  TestAccIdentityEntityAlias_Update: github,
  TestAccIdentityGroupAlias: github,
  TestAccIdentityGroupAliasUpdate: github,
  TestDataSourceIdentityEntityAlias: github,
  TestDataSourceIdentityGroupAlias: github,
  TestAccJWTAuthBackend: internet,
  TestAccJWTAuthBackendProviderConfig: internet,
  TestAccJWTAuthBackendRoleOIDC_disableParsing: internet,
  TestAccJWTAuthBackendRoleOIDC_full: internet,
  TestAccJWTAuthBackend_OIDC: internet,
  TestAccJWTAuthBackend_OIDCClientSecretLegacy: internet,
  TestAccJWTAuthBackend_OIDCClientSecretWriteOnly: internet,
  TestAccJWTAuthBackend_importTune: internet,
  TestJWTAuthBackend_remount: internet,
  TestAccKubernetesAuthBackendConfigDataSource_basic: kubernetesHost,
  TestAccKubernetesAuthBackendConfigDataSource_full: kubernetesHost,
  TestAccKubernetesAuthBackendConfig_basic: kubernetesHost,
  TestAccKubernetesAuthBackendConfig_full: kubernetesHost,
  TestAccKubernetesAuthBackendConfig_fullInK8sCluster: kubernetesHost,
  TestAccKubernetesAuthBackendConfig_fullUpdate: kubernetesHost,
  TestAccKubernetesAuthBackendConfig_import: kubernetesHost,
  TestAccKubernetesAuthBackendConfig_update: kubernetesHost,
  TestAccKubernetesAuthBackendConfig_writeOnlyJWT: kubernetesHost,
  TestAccMount_importBasic: kv,
  TestResourceMount: kv,
  TestResourceMount_AuditNonHMACRequestKeys: kv,
  TestResourceMount_KVV2: kv,
  TestResourceMount_Local: kv,
  TestResourceMount_SealWrap: kv,
  TestAccAppRoleAuthBackendRoleSecretID_wrapped_namespace: namespaces,
  TestAccAppRoleAuthBackendRoleSecretID_wrapped_namespace_withWrappedAccessor: namespaces,
  TestQuotaRateLimitGroupBy: namespaces,
  TestQuotaRateLimitWithNamespaceInheritable: namespaces,
  TestAccKubernetesAuthBackendRoleDataSource_full: selector,
  TestAccKubernetesAuthBackendRole_full: selector,
  TestAccKubernetesAuthBackendRole_fullUpdate: selector,
  TestAccKubernetesAuthBackendRole_import: selector,
  TestResourceMount_ExternalEntropyAccess: transit,
  TestAccJWTAuthBackendJWKSPairs_expectedError: "jwks_pairs is not offered",
  TestResourceToken_full: "lease_duration of a token that was just made is 60; the test expects 59",
  TestCertAuthBackend_OCSP:
    "ocsp_servers_override holds URLs; the test sends host names without a scheme",
  TestAccIdentityEntityAliasDuplicateFlow:
    "the refusal of a name that has another entity has another text than the test expects",
  TestCertAuthBackend_OCSP_Negative:
    "the refusal of a negative ocsp_max_retries has another text than the test expects",
  TestAccKubernetesAuthBackendRole_failure_explicit_empty_namespace_and_selector:
    "the refusal of a role without namespaces names no selector, which is not offered",
  TestAccKubernetesAuthBackendRole_failure_missing_namespace_and_selector:
    "the refusal of a role without namespaces names no selector, which is not offered",
  TestAccJWTAuthBackend_missingMandatory:
    "the last step makes a key of the OIDC provider, which is not offered",
};

const oidcProvider = "the server is not an OIDC provider: it signs no tokens for others";
const keyless = "the client aborts the call: the test names a certificate without its key";
const noPem = "kubernetes_ca_cert is checked; the test sends dots between the lines of a PEM block";
const sealing = "the server unseals itself; a request cannot seal it";
const audit = "audit devices are declared in the settings; requests cannot enable or disable them";
const shares = "the server has one sealing key, no shares of it: no rekeying and no new root token";

/** Tests of hvac, the client for Python. */
export const hvacByDesign: Reasons = {
  "api/auth_methods/test_cert.py::TestCert::test_configure_tls_certificate":
    "auth/cert/config is not offered",
  "api/auth_methods/test_cert.py::TestCert::test_login_0_testrole": keyless,
  "api/auth_methods/test_cert.py::TestCert::test_login_1_": keyless,
  "api/auth_methods/test_cert.py::TestCert::test_login_2_testrole2": keyless,
  "api/auth_methods/test_cert.py::TestCertEnv::test_configure_tls_certificate":
    "auth/cert/config is not offered",
  "api/auth_methods/test_cert.py::TestCertEnv::test_login_0_testrole": keyless,
  "api/auth_methods/test_cert.py::TestCertEnv::test_login_1_": keyless,
  "api/auth_methods/test_cert.py::TestCertEnv::test_login_2_testrole2": keyless,
  "api/auth_methods/test_jwt.py::TestJWT::test_configure_0_configure_using_vault_identity_OIDC":
    oidcProvider,
  "api/auth_methods/test_jwt.py::TestJWT::test_jwt_login_0_success": oidcProvider,
  "api/auth_methods/test_jwt.py::TestJWT::test_read_config_0_configure_using_vault_identity_OIDC":
    oidcProvider,
  "api/auth_methods/test_kubernetes.py::TestKubernetes::test_configure_0_success": noPem,
  "api/auth_methods/test_kubernetes.py::TestKubernetes::test_configure_1_issuer_test": noPem,
  "api/auth_methods/test_kubernetes.py::TestKubernetes::test_configure_5_missing_kubernetes_ca_cert":
    "the refusal of a missing CA has another text than the test expects",
  "api/auth_methods/test_kubernetes.py::TestKubernetes::test_list_roles_0_success": noPem,
  "api/auth_methods/test_kubernetes.py::TestKubernetes::test_list_roles_1_no_roles": noPem,
  "api/auth_methods/test_kubernetes.py::TestKubernetes::test_read_config_0_success": noPem,
  "api/secrets_engines/test_identity.py::TestIdentity::test_configure_tokens_backend_0_empty_issuer":
    oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_configure_tokens_backend_1_issuer_set":
    oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_create_named_key_0_name_set":
    oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_create_or_update_group_3_create_success_with_group_type":
    "member_group_ids of a group without members is []; the test expects null",
  "api/secrets_engines/test_identity.py::TestIdentity::test_create_or_update_group_by_name_3_update_failure_with_changed_group_type":
    "the refusal of another group type has another text than the test expects",
  "api/secrets_engines/test_identity.py::TestIdentity::test_create_or_update_role_0_success":
    oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_delete_named_key_0_success":
    oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_delete_role_0_success": oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_generate_signed_id_token_0_success":
    oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_introspect_signed_id_token_0_success":
    oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_list_named_keys_0_success":
    oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_list_roles_0_success": oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_merge_entities_0_merge_success":
    "merging entities is not offered",
  "api/secrets_engines/test_identity.py::TestIdentity::test_merge_entities_1_merge_failure":
    "merging entities is not offered",
  "api/secrets_engines/test_identity.py::TestIdentity::test_merge_entities_conflicting_0_merge_success":
    "merging entities is not offered",
  "api/secrets_engines/test_identity.py::TestIdentity::test_merge_entities_conflicting_1_merge_failure":
    "merging entities is not offered",
  "api/secrets_engines/test_identity.py::TestIdentity::test_read_active_public_keys_0_success":
    oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_read_named_key_0_success": oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_read_role_0_success": oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_read_tokens_backend_configuration_0_empty_issuer":
    oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_read_tokens_backend_configuration_1_issuer_set":
    oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_read_well_known_configurations_0_issuer_set":
    oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_rotate_named_key_0_lower_ttl_than_at_create_time":
    oidcProvider,
  "api/secrets_engines/test_identity.py::TestIdentity::test_update_group_by_id_3_update_failure_with_changed_group_type":
    "the refusal of another group type has another text than the test expects",
  "api/system_backend/test_auth.py::TestAuth::test_auth_backend_manipulation": github,
  "api/system_backend/test_mount.py::TestMount::test_get_secret_backend_tuning": kv,
  "api/system_backend/test_mount.py::TestMount::test_secret_backend_manipulation": kv,
  "api/system_backend/test_seal.py::TestSeal::test_seal_unseal": sealing,
  "api/system_backend/test_seal.py::TestSeal::test_unseal_multi": sealing,
  "v1/test_integration.py::IntegrationTest::test_auth_gcp_alternate_mount_point_with_no_client_token_exception":
    cloud,
  "v1/test_integration.py::IntegrationTest::test_generic_secret_backend": kv,
  "v1/test_integration.py::IntegrationTest::test_gh51": kv,
  "v1/test_integration.py::IntegrationTest::test_illegal_token":
    "the refusal comes from the client, in a newer text than the test expects",
  "v1/test_integration.py::IntegrationTest::test_kv2_secret_backend": kv,
  "v1/test_integration.py::IntegrationTest::test_list_directory": kv,
  "v1/test_integration.py::IntegrationTest::test_write_data": kv,
  "v1/test_integration.py::IntegrationTest::test_write_with_response": transit,
  "v1/test_system_backend.py::TestSystemBackend::test_audit_backend_manipulation": audit,
  "v1/test_system_backend.py::TestSystemBackend::test_audit_hash_0_hash_returned": audit,
  "v1/test_system_backend.py::TestSystemBackend::test_audit_hash_1_audit_backend_not_enabled":
    audit,
  "v1/test_system_backend.py::TestSystemBackend::test_auth_backend_manipulation": github,
  "v1/test_system_backend.py::TestSystemBackend::test_get_backed_up_keys": shares,
  "v1/test_system_backend.py::TestSystemBackend::test_get_secret_backend_tuning": kv,
  "v1/test_system_backend.py::TestSystemBackend::test_rekey_multi": shares,
  "v1/test_system_backend.py::TestSystemBackend::test_rotate": shares,
  "v1/test_system_backend.py::TestSystemBackend::test_seal_unseal": sealing,
  "v1/test_system_backend.py::TestSystemBackend::test_secret_backend_manipulation": kv,
  "v1/test_system_backend.py::TestSystemBackend::test_start_generate_root_then_cancel": shares,
  "v1/test_system_backend.py::TestSystemBackend::test_start_generate_root_with_completion": shares,
  "v1/test_system_backend.py::TestSystemBackend::test_unseal_multi": sealing,
};

/** Tests of node-vault, the client for Node. */
export const nodeVaultByDesign: Reasons = {
  "integration node-vault should initialize a vault server":
    "the server initializes itself, and its refusal says so in another text than the test expects",
};

const agents = "agent pools are not offered";
const auditTrails = "an organization has one token; audit-trails, a second kind, is refused";
const neverExpires = "a token without expired-at never expires; the test expects two years";
const memberships = "memberships and invitations are not offered; teams list their users";
const account = "PATCH account/update is not offered";
const accountMembers = "an account has no two-factor settings and no permissions";
const teamTokens = "the list of all team tokens of an organization is not offered";
const projects = "projects other than the default one are not offered";
const runs = "runs are not offered";
const states = "state versions are not offered";
const locks = "workspaces cannot be locked";
const tags = "tags of workspaces are not offered";
const sshKeys = "SSH keys are not offered";
const consumers = "remote state consumers are not offered";

/** Tests of go-tfe, the Go client of the variables API. */
export const goTfeByDesign: Reasons = {
  "TestOrganizationsReadWithBusiness/when_the_org_exists/permissions_are_properly_decoded":
    "no-code modules are not offered, so the permissions for them are not granted",
  "TestOrganizationsRead/when_the_org_exists/timestamps_are_populated":
    "tests of modules are not offered, so remaining-testable-count is absent",
  "TestOrganizationsRead/with_default_execution_mode_of_'agent'": agents,
  "TestOrganizationsUpdate/with_new_UserTokensEnabled_option":
    "user-tokens-enabled cannot be false: it is refused rather than stored without an effect",
  "TestOrganizationsUpdate/with_agent_pool_provided,_but_remote_execution_mode": agents,
  "TestOrganizationsUpdate/with_different_default_execution_modes": agents,
  "TestOrganizationsReadEntitlements/when_the_org_exists":
    "the test expects the entitlements of a paid plan, such as agents, Sentinel and state storage",
  "TestOrganizationTokens_CreateWithOptions/without_an_expiration_date": neverExpires,
  "TestOrganizationTokens_CreateWithOptions/with_a_token_type": auditTrails,
  TestOrganizationTokensReadWithOptions: auditTrails,
  "TestOrganizationTokensDeleteWithOptions/with_a_token_type": auditTrails,
  "TestTeamAccessesAdd/with_invalid_custom_options":
    "the refusal of runs with access read has another text than the test expects",
  TestTeamMembersAddByOrganizationMembers: memberships,
  TestTeamMembersRemoveByOrganizationMemberships: memberships,
  "TestTeamTokens_CreateWithOptions/without_an_expiration_date": neverExpires,
  "TestTeamTokensList/with_team_tokens_across_multiple_teams": teamTokens,
  "TestTeamTokensList/with_filtering_by_team_name": teamTokens,
  "TestTeamTokensList/with_sorting": teamTokens,
  "TestUsersReadCurrent/two_factor_options_are_decoded": accountMembers,
  "TestUsersReadCurrent/permissions_are_decoded": accountMembers,
  "TestUsersUpdate/without_any_options": account,
  "TestUsersUpdate/with_a_new_username": account,
  "TestUsersUpdate/with_a_new_email_address": account,
  "TestUserTokens_Create/create_token_without_an_expiration_date": neverExpires,
  TestVariablesListAll: `${projects}, nor are variable sets; the test creates both`,
  "TestWorkspacesList_RunDependent/when_sorting_workspaces_on_current-run.created-at": runs,
  "TestWorkspacesList_RunDependent/when_searching_using_a_tag": tags,
  "TestWorkspacesList_RunDependent/when_searching_using_exclude-tags": tags,
  "TestWorkspacesList_RunDependent/with_current-state-version,current-run_included": runs,
  "TestWorkspacesList_RunDependent/when_using_project_id_filter_and_project_contains_workspaces":
    projects,
  "TestWorkspacesList_RunDependent/when_using_project_id_filter_but_project_contains_no_workspaces":
    projects,
  "TestWorkspacesList_RunDependent/when_filter_workspaces_by_current_run_status": runs,
  "TestWorkspacesCreate/when_organization_has_a_default_execution_mode": agents,
  "TestWorkspacesCreate/with_valid_options": tags,
  "TestWorkspacesRead/links_are_properly_decoded":
    "self-html is the workspace's address in the console; the test expects a path below /app/",
  "TestWorkspacesRead/when_workspace_is_inheriting_the_default_execution_mode": agents,
  TestWorkspacesReadWithOptions: states,
  TestWorkspacesReadWithHistory_RunDependent: runs,
  "TestWorkspacesUpdateByID/when_an_error_is_returned_from_the_api":
    "terraform-version is stored as sent: the server does not run Terraform and has no list of versions",
  TestWorkspacesUpdateWithDefaultExecutionMode: agents,
  "TestWorkspacesSafeDelete/when_workspace_is_locked": locks,
  "TestWorkspacesSafeDelete/when_workspace_has_resources_under_management": states,
  "TestWorkspacesSafeDeleteByID/when_workspace_is_locked": locks,
  "TestWorkspacesSafeDeleteByID/when_workspace_has_resources_under_management": states,
  "TestWorkspacesLock/with_valid_options": locks,
  "TestWorkspacesLock/when_workspace_is_already_locked": locks,
  TestWorkspacesUnlock_RunDependent: locks,
  TestWorkspacesForceUnlock: locks,
  TestWorkspacesAssignSSHKey: sshKeys,
  TestWorkspacesUnassignSSHKey: sshKeys,
  "TestWorkspaces_AddRemoteStateConsumers/successfully_adds_a_remote_state_consumer": consumers,
  "TestWorkspaces_RemoveRemoteStateConsumers/successfully_removes_a_remote_state_consumer":
    consumers,
  "TestWorkspaces_UpdateRemoteStateConsumers/successfully_updates_a_remote_state_consumer":
    consumers,
  "TestWorkspaces_AddTags/successfully_adds_tags": tags,
  "TestWorkspaces_AddTags/successfully_adds_tags_by_id_and_name": tags,
  "TestWorkspaces_RemoveTags/successfully_removes_tags": tags,
  "TestWorkspaces_RemoveTags/attempts_to_remove_a_tag_that_doesn't_exist": tags,
};

const plain = "the suite connects over plain HTTP, where no client certificate arrives";
const initialized = "the server initializes itself; the test expects an uninitialized one";

/** Tests of vaultrs, the client for Rust. */
export const vaultrsByDesign: Reasons = {
  "cert::test": plain,
  "identity::test_entity_and_entity_alias":
    "merging entities is not offered; an update of an alias that changes nothing returns its ids, not 204",
  "identity::test_group_and_group_alias":
    "metadata of a group without any is {}; the test expects null",
  "kubernetes::test": kubernetesHost,
  "oidc::test": internet,
  "sys::sys_init": initialized,
  "sys::test": kv,
};

/** Tests of Spring Vault. */
export const springVaultByDesign: Reasons = {
  "JwtAuthenticationIntegrationTest.shouldLoginSuccessfully":
    "a token with an audience needs a role with bound_audiences, which the test leaves empty",
  "VaultPkiTemplateIntegrationTests.signShouldSignCsrWithNotAfter":
    "max_ttl of a role bounds not_after too; the test expects a later one",
  "VaultSysTemplateIntegrationTests.getMountsShouldContainSecretBackend": kv,
  "VaultSysTemplateIntegrationTests.mountShouldMountGenericSecret": kv,
  "VaultSysTemplateIntegrationTests.mountShouldMountKv1Secret": kv,
  "VaultSysTemplateIntegrationTests.mountShouldMountKv2Secret": kv,
};
