/** Media types of responses other than JSON, with the IDs of the endpoints. */
const mediaTypes: readonly (readonly [types: readonly string[], ids: readonly string[]])[] = [
  [["application/pkix-cert"], ["readCa", "readCaChain", "readIssuerDer", "readCertRaw"]],
  [
    ["application/pem-certificate-chain"],
    ["readCaPem", "readIssuerPem", "readCertPem", "acmeCertificate"],
  ],
  [
    ["application/pkix-crl"],
    [
      ..."readCrl readDeltaCrl readUnifiedCrl readUnifiedDeltaCrl readIssuerCrlDer".split(" "),
      ..."readIssuerDeltaCrlDer readIssuerUnifiedCrlDer readIssuerUnifiedDeltaCrlDer".split(" "),
      ..."readShardCrl readShardDelta readIssuerShardCrl readIssuerShardDelta".split(" "),
    ],
  ],
  [
    ["application/x-pem-file"],
    [
      ..."readCrlPem readDeltaCrlPem readUnifiedCrlPem readUnifiedDeltaCrlPem".split(" "),
      ..."readIssuerCrlPem readIssuerDeltaCrlPem readIssuerUnifiedCrlPem".split(" "),
      ..."readIssuerUnifiedDeltaCrlPem readShardCrlPem readShardDeltaPem".split(" "),
      ..."readIssuerShardCrlPem readIssuerShardDeltaPem".split(" "),
    ],
  ],
  [["application/pkcs7-mime"], ["estCaCertificates", "estEnroll", "estReenroll"]],
  [["text/plain"], ["readLogCheckpoint"]],
  [["application/octet-stream"], ["readLogTile"]],
  [["application/csrattrs"], ["estCsrAttributes"]],
  [["text/plain", "application/json"], ["exportVars"]],
  [["application/json"], ["discovery"]],
  [["application/json", "text/plain"], ["readMetrics"]],
];
const types = new Map(mediaTypes.flatMap(([all, ids]) => ids.map((id) => [id, all] as const)));

/**
 * Returns the media types of an endpoint's responses, or undefined if they are JSON in the usual
 * envelope.
 */
export const mediaOf = (id: string): readonly string[] | undefined => types.get(id);
