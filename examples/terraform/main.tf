# A root and an intermediate that issues, a role, a policy for its callers, a first certificate.
# VAULT_ADDR and VAULT_TOKEN select the server and its token.
terraform {
  required_providers {
    vault = { source = "hashicorp/vault" }
  }
}

provider "vault" {}

variable "url" {
  description = "The address of CRLs and OCSP in certificates. Clients fetch both over plain HTTP."
  type        = string
  default     = "http://ca.corp.example"
}

resource "vault_mount" "root" {
  path                  = "corp-root"
  type                  = "pki"
  max_lease_ttl_seconds = 315360000 # ten years
}

resource "vault_mount" "issuing" {
  path                  = "corp"
  type                  = "pki"
  max_lease_ttl_seconds = 157680000 # five years
}

resource "vault_pki_secret_backend_root_cert" "root" {
  backend     = vault_mount.root.path
  type        = "internal"
  common_name = "Corp Root"
  issuer_name = "root"
  key_type    = "ec"
  key_bits    = 384
  ttl         = "315360000"
}

resource "vault_pki_secret_backend_config_urls" "root" {
  backend                 = vault_mount.root.path
  issuing_certificates    = ["${var.url}/v1/${vault_mount.root.path}/ca"]
  crl_distribution_points = ["${var.url}/v1/${vault_mount.root.path}/crl"]
}

resource "vault_pki_secret_backend_intermediate_cert_request" "issuing" {
  backend     = vault_mount.issuing.path
  type        = "internal"
  common_name = "Corp Issuing CA"
  key_type    = "ec"
  key_bits    = 384
}

resource "vault_pki_secret_backend_root_sign_intermediate" "issuing" {
  backend     = vault_mount.root.path
  issuer_ref  = vault_pki_secret_backend_root_cert.root.issuer_id
  csr         = vault_pki_secret_backend_intermediate_cert_request.issuing.csr
  common_name = "Corp Issuing CA"
  ttl         = "157680000"
  depends_on  = [vault_pki_secret_backend_config_urls.root]
}

resource "vault_pki_secret_backend_intermediate_set_signed" "issuing" {
  backend     = vault_mount.issuing.path
  certificate = vault_pki_secret_backend_root_sign_intermediate.issuing.certificate
}

resource "vault_pki_secret_backend_config_urls" "issuing" {
  backend                 = vault_mount.issuing.path
  issuing_certificates    = ["${var.url}/v1/${vault_mount.issuing.path}/ca"]
  crl_distribution_points = ["${var.url}/v1/${vault_mount.issuing.path}/crl"]
  ocsp_servers            = ["${var.url}/v1/${vault_mount.issuing.path}/ocsp"]
}

resource "vault_pki_secret_backend_crl_config" "issuing" {
  backend      = vault_mount.issuing.path
  expiry       = "72h"
  auto_rebuild = true
}

resource "vault_pki_secret_backend_role" "web" {
  backend          = vault_mount.issuing.path
  name             = "web"
  allowed_domains  = ["corp.example"]
  allow_subdomains = true
  key_type         = "ec"
  key_bits         = 256
  max_ttl          = "2592000"
}

resource "vault_policy" "web" {
  name   = "web"
  policy = <<-EOT
    path "${vault_mount.issuing.path}/issue/${vault_pki_secret_backend_role.web.name}" {
      capabilities = ["update"]
    }
  EOT
}

resource "vault_pki_secret_backend_cert" "first" {
  backend     = vault_mount.issuing.path
  name        = vault_pki_secret_backend_role.web.name
  common_name = "www.corp.example"
  ttl         = "604800"
  depends_on = [
    vault_pki_secret_backend_intermediate_set_signed.issuing,
    vault_pki_secret_backend_config_urls.issuing,
  ]
}

output "root" {
  value = vault_pki_secret_backend_root_cert.root.certificate
}

output "chain" {
  value = "${vault_pki_secret_backend_cert.first.certificate}\n${vault_pki_secret_backend_cert.first.ca_chain}"
}
