# Every resource and data source for a PKI of the provider except those of SCEP and CMP, and what
# belongs to it: policies, tokens and login methods.
terraform {
  required_providers {
    vault = { source = "hashicorp/vault" }
  }
}

variable "ttl" {
  type    = string
  default = "3600"
}

provider "vault" {}

resource "vault_mount" "root" {
  path                      = "tf-root"
  type                      = "pki"
  description               = "root"
  default_lease_ttl_seconds = 3600
  max_lease_ttl_seconds     = 315360000
}
resource "vault_mount" "leaf" {
  path                      = "tf-leaf"
  type                      = "pki"
  default_lease_ttl_seconds = 3600
  max_lease_ttl_seconds     = 31536000
  allowed_response_headers  = ["Location", "Replay-Nonce", "Link"]
  delegated_auth_accessors  = [vault_auth_backend.userpass.accessor, vault_auth_backend.cert.accessor]
}

resource "vault_managed_keys" "remote" {
  aws {
    name               = "tf-aws"
    access_key         = "AKIDEXAMPLE"
    secret_key         = "a secret key of aws"
    region             = "eu-central-1"
    endpoint           = "https://kms.tf.test"
    key_type           = "ECDSA"
    curve              = "P256"
    key_bits           = "256"
    kms_key            = "alias/tf"
    usages             = ["sign"]
    allow_generate_key = var.ttl != "3600"
  }
}
variable "signing_url" { type = string }
variable "signing_token" { type = string }
variable "services_ca" { type = string }
resource "vault_generic_endpoint" "kept" {
  path                 = "sys/managed-keys/https/tf-kept"
  ignore_absent_fields = true
  data_json = jsonencode({
    url          = var.signing_url
    key          = "remote"
    token        = var.signing_token
    trusted_ca   = var.services_ca
    message_type = "raw"
  })
  disable_read = true
}
resource "vault_mount" "remote" {
  path                 = "tf-remote"
  type                 = "pki"
  allowed_managed_keys = [tolist(vault_managed_keys.remote.aws)[0].name, "tf-kept"]
  depends_on           = [vault_generic_endpoint.kept]
}
resource "vault_pki_secret_backend_root_cert" "remote" {
  backend          = vault_mount.remote.path
  type             = "kms"
  managed_key_name = "tf-kept"
  common_name      = "Terraform Remote Root"
  ttl              = "8760h"
}
resource "vault_pki_secret_backend_role" "remote" {
  backend        = vault_mount.remote.path
  name           = "web"
  allow_any_name = true
  key_type       = "ec"
  key_bits       = 256
}
resource "vault_pki_secret_backend_cert" "pkcs12" {
  backend         = vault_mount.remote.path
  name            = vault_pki_secret_backend_role.remote.name
  common_name     = "p.tf.test"
  format          = "pkcs12_bundle"
  pkcs12_encoder  = "modern2023"
  pkcs12_password = "a password of tf"
  ttl             = "3600"
  depends_on      = [vault_pki_secret_backend_root_cert.remote]
  lifecycle {
    postcondition {
      condition     = startswith(self.certificate, "MII")
      error_message = "no archive"
    }
  }
}
resource "vault_pki_secret_backend_cert" "jks" {
  backend               = vault_mount.remote.path
  name                  = vault_pki_secret_backend_role.remote.name
  common_name           = "j.tf.test"
  format                = "jks_bundle"
  jks_password          = "a password of tf"
  jks_private_key_alias = "tf"
  ttl                   = "3600"
  depends_on            = [vault_pki_secret_backend_root_cert.remote]
}

resource "vault_pki_secret_backend_config_cluster" "leaf" {
  backend  = vault_mount.leaf.path
  path     = "http://127.0.0.1:8200/v1/tf-leaf"
  aia_path = "http://127.0.0.1:8200/v1/tf-leaf"
}
resource "vault_pki_secret_backend_root_cert" "root" {
  backend     = vault_mount.root.path
  type        = "internal"
  common_name = "Terraform Root"
  ttl         = "87600h"
  key_type    = "ec"
  key_bits    = 256
  issuer_name = "root"
}
resource "vault_pki_secret_backend_config_urls" "root" {
  backend                 = vault_mount.root.path
  issuing_certificates    = ["http://127.0.0.1:8200/v1/tf-root/ca"]
  crl_distribution_points = ["http://127.0.0.1:8200/v1/tf-root/crl"]
  ocsp_servers            = ["http://127.0.0.1:8200/v1/tf-root/ocsp"]
}
resource "vault_pki_secret_backend_intermediate_cert_request" "leaf" {
  backend     = vault_mount.leaf.path
  type        = "internal"
  common_name = "Terraform Intermediate"
  key_type    = "ec"
  key_bits    = 256
}
resource "vault_pki_secret_backend_root_sign_intermediate" "leaf" {
  backend     = vault_mount.root.path
  csr         = vault_pki_secret_backend_intermediate_cert_request.leaf.csr
  common_name = "Terraform Intermediate"
  ttl         = "43800h"
  issuer_ref  = vault_pki_secret_backend_root_cert.root.issuer_id
}
resource "vault_pki_secret_backend_intermediate_set_signed" "leaf" {
  backend     = vault_mount.leaf.path
  certificate = vault_pki_secret_backend_root_sign_intermediate.leaf.certificate_bundle
}
resource "vault_pki_secret_backend_issuer" "leaf" {
  backend                        = vault_mount.leaf.path
  issuer_ref                     = vault_pki_secret_backend_intermediate_set_signed.leaf.imported_issuers[0]
  issuer_name                    = "leaf"
  leaf_not_after_behavior        = "truncate"
  usage                          = "crl-signing,issuing-certificates,ocsp-signing,read-only"
  revocation_signature_algorithm = ""
}
resource "vault_pki_secret_backend_config_issuers" "leaf" {
  backend                       = vault_mount.leaf.path
  default                       = vault_pki_secret_backend_issuer.leaf.issuer_id
  default_follows_latest_issuer = false
}
resource "vault_pki_secret_backend_key" "spare" {
  backend  = vault_mount.leaf.path
  type     = "internal"
  key_name = "spare"
  key_type = "ec"
  key_bits = 384
}
resource "vault_pki_secret_backend_crl_config" "leaf" {
  backend                   = vault_mount.leaf.path
  expiry                    = "72h"
  disable                   = false
  auto_rebuild              = true
  auto_rebuild_grace_period = "12h"
  enable_delta              = true
  delta_rebuild_interval    = "15m"
  max_crl_entries           = 100000
}
resource "vault_pki_secret_backend_config_auto_tidy" "leaf" {
  backend                       = vault_mount.leaf.path
  enabled                       = true
  interval_duration             = "24h"
  safety_buffer                 = "72h"
  tidy_cert_store               = true
  tidy_revoked_certs            = true
  tidy_acme                     = true
}
resource "vault_pki_secret_backend_role" "web" {
  backend            = vault_mount.leaf.path
  issuer_ref         = vault_pki_secret_backend_issuer.leaf.issuer_name
  name               = "web"
  ttl                = var.ttl
  max_ttl            = "86400"
  allowed_domains    = ["tf.test"]
  allow_subdomains   = true
  allow_ip_sans      = true
  key_type           = "ec"
  key_bits           = 256
  key_usage          = ["DigitalSignature", "KeyAgreement"]
  country            = ["DE"]
  organization       = ["Terraform"]
  generate_lease     = false
  not_before_duration = "1m"
  policy_identifier {
    oid    = "1.3.6.1.4.1.44947.1.1.1"
    notice = "a notice"
    cps    = "https://tf.test/cps"
  }
}
resource "vault_pki_secret_backend_config_acme" "leaf" {
  backend                  = vault_mount.leaf.path
  enabled                  = true
  allowed_issuers          = ["*"]
  allowed_roles            = ["*"]
  allow_role_ext_key_usage = false
  default_directory_policy = "role:${vault_pki_secret_backend_role.web.name}"
  dns_resolver             = ""
  eab_policy               = "not-required"
  max_ttl                  = 7776000
  depends_on               = [vault_pki_secret_backend_config_cluster.leaf]
}
resource "vault_pki_secret_backend_acme_eab" "web" {
  backend = vault_mount.leaf.path
  role    = vault_pki_secret_backend_role.web.name
}
resource "vault_pki_secret_backend_cert" "web" {
  backend     = vault_mount.leaf.path
  name        = vault_pki_secret_backend_role.web.name
  common_name = "a.tf.test"
  alt_names   = ["b.tf.test"]
  ip_sans     = ["192.0.2.1"]
  ttl         = "7200"
  revoke      = true
}
resource "vault_pki_secret_backend_sign" "web" {
  backend     = vault_mount.leaf.path
  name        = vault_pki_secret_backend_role.web.name
  csr         = file("${path.module}/leaf.csr")
  common_name = "c.tf.test"
  ttl         = "7200"
  depends_on  = [vault_pki_secret_backend_config_issuers.leaf]
}
data "vault_pki_secret_backend_issuers" "leaf" {
  backend    = vault_mount.leaf.path
  depends_on = [vault_pki_secret_backend_issuer.leaf]
}
data "vault_pki_secret_backend_issuer" "leaf" {
  backend    = vault_mount.leaf.path
  issuer_ref = vault_pki_secret_backend_issuer.leaf.issuer_id
}
data "vault_pki_secret_backend_keys" "leaf" {
  backend    = vault_mount.leaf.path
  depends_on = [vault_pki_secret_backend_key.spare]
}
data "vault_pki_secret_backend_key" "spare" {
  backend = vault_mount.leaf.path
  key_ref = vault_pki_secret_backend_key.spare.key_id
}

resource "vault_pki_secret_backend_config_est" "leaf" {
  backend              = vault_mount.leaf.path
  enabled              = true
  default_mount        = true
  default_path_policy  = "role:${vault_pki_secret_backend_role.web.name}"
  label_to_path_policy = var.ttl == "3600" ? { tf = "sign-verbatim" } : { tf = "role:web", more = "role:web" }
  audit_fields         = ["csr", "common_name"]
  authenticators {
    userpass = { accessor = vault_auth_backend.userpass.accessor }
    cert     = { accessor = vault_auth_backend.cert.accessor, cert_role = "service" }
  }
}
data "vault_pki_secret_backend_config_est" "leaf" {
  backend    = vault_mount.leaf.path
  depends_on = [vault_pki_secret_backend_config_est.leaf]
  lifecycle {
    postcondition {
      condition     = self.enabled && self.label_to_path_policy["tf"] != ""
      error_message = "EST is not configured"
    }
  }
}

data "vault_policy_document" "service" {
  rule {
    path         = "tf-leaf/issue/web"
    capabilities = ["update"]
    description  = "issue"
    denied_parameter {
      key   = "private_key_format"
      value = ["pkcs8"]
    }
  }
  rule {
    path         = "tf-leaf/roles/+"
    capabilities = ["read", "list"]
  }
}
resource "vault_policy" "service" {
  name   = "tf-service"
  policy = data.vault_policy_document.service.hcl
}
resource "vault_token_auth_backend_role" "service" {
  role_name              = "tf-service"
  allowed_policies       = ["tf-service"]
  disallowed_policies    = ["default"]
  orphan                 = true
  renewable              = true
  token_period           = "86400"
  path_suffix            = "suffix"
}
resource "vault_token" "service" {
  role_name = vault_token_auth_backend_role.service.role_name
  policies  = [vault_policy.service.name]
  renewable = true
  ttl       = "24h"
  metadata  = { purpose = "service" }
}
resource "vault_auth_backend" "approle" {
  type = "approle"
  path = "tf-approle"
  tune {
    default_lease_ttl = "1h"
    max_lease_ttl     = "24h"
  }
}
resource "vault_approle_auth_backend_role" "service" {
  backend        = vault_auth_backend.approle.path
  role_name      = "service"
  token_policies = [vault_policy.service.name]
  token_ttl      = 600
  token_max_ttl  = 3600
}
resource "vault_approle_auth_backend_role_secret_id" "service" {
  backend   = vault_auth_backend.approle.path
  role_name = vault_approle_auth_backend_role.service.role_name
  metadata  = jsonencode({ host = "a" })
}
resource "vault_approle_auth_backend_login" "service" {
  backend   = vault_auth_backend.approle.path
  role_id   = vault_approle_auth_backend_role.service.role_id
  secret_id = vault_approle_auth_backend_role_secret_id.service.secret_id
}
resource "vault_auth_backend" "userpass" {
  type = "userpass"
  path = "tf-userpass"
}
resource "vault_generic_endpoint" "ann" {
  path                 = "auth/${vault_auth_backend.userpass.path}/users/ann"
  ignore_absent_fields = true
  data_json            = jsonencode({ password = "the password of ann", token_policies = [vault_policy.service.name] })
}
resource "vault_jwt_auth_backend" "jwt" {
  path                   = "tf-jwt"
  jwt_validation_pubkeys = [trimspace(file("${path.module}/jwt.pem"))]
  bound_issuer           = "https://issuer.tf.test"
}
resource "vault_jwt_auth_backend_role" "ci" {
  backend         = vault_jwt_auth_backend.jwt.path
  role_name       = "ci"
  role_type       = "jwt"
  bound_audiences = ["https://ca.tf.test"]
  user_claim      = "sub"
  bound_claims    = { project = "a,b" }
  token_policies  = [vault_policy.service.name]
  token_ttl       = 600
}
resource "vault_auth_backend" "kubernetes" {
  type = "kubernetes"
  path = "tf-kubernetes"
}
resource "vault_kubernetes_auth_backend_config" "kubernetes" {
  backend                = vault_auth_backend.kubernetes.path
  kubernetes_host        = "https://kubernetes.tf.test"
  pem_keys               = [trimspace(file("${path.module}/jwt.pem"))]
  issuer                 = "https://kubernetes.tf.test"
  disable_iss_validation = false
}
resource "vault_kubernetes_auth_backend_role" "service" {
  backend                          = vault_auth_backend.kubernetes.path
  role_name                        = "service"
  bound_service_account_names      = ["cert-manager"]
  bound_service_account_namespaces = ["*"]
  audience                         = "vault://issuer"
  token_policies                   = [vault_policy.service.name]
}
resource "vault_auth_backend" "cert" {
  type = "cert"
  path = "tf-cert"
}
resource "vault_cert_auth_backend_role" "service" {
  backend              = vault_auth_backend.cert.path
  name                 = "service"
  certificate          = vault_pki_secret_backend_root_cert.root.certificate
  allowed_common_names = ["a.tf.test"]
  token_policies       = [vault_policy.service.name]
}
resource "vault_identity_entity" "ann" {
  name     = "tf-ann"
  policies = [vault_policy.service.name]
  metadata = { team = "a" }
}
resource "vault_identity_entity_alias" "ann" {
  name           = "ann"
  mount_accessor = vault_auth_backend.userpass.accessor
  canonical_id   = vault_identity_entity.ann.id
}
resource "vault_identity_group" "team" {
  name              = "tf-team"
  type              = "internal"
  policies          = [vault_policy.service.name]
  member_entity_ids = [vault_identity_entity.ann.id]
}
resource "vault_quota_rate_limit" "leaf" {
  name = "tf-leaf"
  path = "${vault_mount.leaf.path}/"
  rate = 100
}
data "vault_auth_backends" "all" {
  depends_on = [vault_auth_backend.userpass]
}

output "serial" {
  value = vault_pki_secret_backend_cert.web.serial_number
}
