import * as roles from "../pki/leaf/roles.ts";
import * as urlsConfig from "../pki/config/urls-config.ts";
import { fillUrls } from "../pki/config/urls-defaults.ts";
import * as clusterConfig from "../pki/config/cluster-config.ts";
import * as acmeConfig from "../acme/config/acme-config.ts";
import * as estConfig from "../est/config.ts";
import * as log from "../log/config.ts";
import * as logReads from "../log/reads.ts";
import * as externalPolicy from "../external/config.ts";

/** Endpoints of roles, and of a mount's configuration except CRLs. */
export const settings = [
  roles.listRoles,
  roles.readRole,
  roles.writeRole,
  roles.patchRole,
  roles.deleteRole,
  urlsConfig.readUrls,
  urlsConfig.writeUrls,
  fillUrls,
  clusterConfig.readCluster,
  clusterConfig.writeCluster,
  acmeConfig.readAcmeConfig,
  acmeConfig.writeAcmeConfig,
  estConfig.readEstConfig,
  estConfig.writeEstConfig,
  externalPolicy.readExternalPolicy,
  externalPolicy.writeExternalPolicy,
  externalPolicy.checkExternalPolicy,
  log.readLogConfig,
  log.writeLogConfig,
  logReads.readLogCheckpoint,
  logReads.readLogTile,
] as const;
