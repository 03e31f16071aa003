import type { TrustStore } from "./trust-store.ts";

/**
 * The trust store of Node. Node trusts the certificates in the file that NODE_EXTRA_CA_CERTS names.
 */
export const nodeStore: TrustStore = {
  name: "node",
  title: "Node.js",
  install: ({ file }, { platform }) => [
    {
      kind: "note",
      text: `Set ${platform === "win32" ? `$env:NODE_EXTRA_CA_CERTS='${file}'` : `NODE_EXTRA_CA_CERTS='${file}'`} for Node programs; or, since Node 22.19 and 24.6, NODE_USE_SYSTEM_CA=1.`,
    },
  ],
  remove: ({ file }) => [
    { kind: "note", text: `Unset NODE_EXTRA_CA_CERTS wherever it is set to ${file}.` },
  ],
};
