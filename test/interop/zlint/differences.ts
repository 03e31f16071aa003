/** Lints of zlint that report more than ours, and why. */
export const differences: Readonly<Record<string, string>> = {
  e_ext_authority_key_identifier_no_key_identifier:
    "also reported for self-issued certificates that are not CAs, which name no other key",
  e_wrong_time_format_pre2050: "reported for the year 1, which UTCTime cannot express",
  e_key_usage_and_extended_key_usage_inconsistent:
    "also reports usages beyond those that RFC 5280 calls consistent; we report when none of them is present",
  e_subject_dn_not_printable_characters: "reads BMPString as UTF-8",
  e_subject_postal_code_max_length: "limits to 16 characters as for X.400; X.520 allows 40",
  n_ecdsa_ee_invalid_ku: "also reports usages that are reported as those of a CA",
  w_distribution_point_missing_ldap_or_uri:
    "reported for an empty list, which we report as malformed",
  w_ext_cert_policy_explicit_text_not_nfc: "reads BMPString as UTF-8",
  w_ext_policy_map_not_in_cert_policy: "reported for an empty list, which we report as malformed",
  w_ext_subject_key_identifier_missing_sub_cert:
    "also reported for versions 1 and 2, which have no extensions",
};
