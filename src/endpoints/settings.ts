import * as roles from "../pki/leaf/roles.ts";
import * as urlsConfig from "../pki/config/urls-config.ts";
import { fillUrls } from "../pki/config/urls-defaults.ts";
import * as clusterConfig from "../pki/config/cluster-config.ts";
import * as estConfig from "../est/config.ts";
import * as externalPolicy from "../external/config.ts";

/** Endpoints for roles, and for a mount's configuration except CRLs, ACME and the log. */
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
  estConfig.readEstConfig,
  estConfig.writeEstConfig,
  externalPolicy.readExternalPolicy,
  externalPolicy.writeExternalPolicy,
  externalPolicy.checkExternalPolicy,
] as const;
