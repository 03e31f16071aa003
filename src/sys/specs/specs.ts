import { flag, map } from "../../wire/field.ts";
import { systemEndpoint, type RawReply, type Style } from "../../wire/endpoint.ts";
import { plain, raw } from "../../wire/style.ts";

/** A document that is encoded and compressed once for all requests. */
export type CompressedDocument = Pick<RawReply, "type" | "bytes"> & {
  readonly etag: string;
  /**
   * Returns the document compressed with gzip, or undefined if the platform does not support that.
   */
  readonly gzip: () => Promise<Uint8Array | undefined>;
};
const written: Style = {
  ...plain,
  reply: async (outcome, call) => {
    // only the handler below has this style
    const { type, bytes, etag, gzip } = outcome.data as CompressedDocument;
    const accepted = call.call.headers.get("accept-encoding") ?? "";
    const packed = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted)
      ? await gzip()
      : undefined;
    const data = packed
      ? { type, bytes: packed, etag: etag.replace(/"$/, '-gzip"') }
      : { type, bytes, etag };
    const reply = raw.reply({ ...outcome, data }, call);
    const headers = { "cache-control": "private, no-cache", vary: "Accept-Encoding" };
    const coding = packed && reply.body !== null ? { "content-encoding": "gzip" } : {};
    return { ...reply, headers: { ...reply.headers, ...headers, ...coding } };
  },
};

const path = "sys/internal/specs/openapi";
export const openapiSpec = systemEndpoint({
  id: "openapiSpec",
  at: ["GET /internal/specs/openapi", "POST /internal/specs/openapi"],
  access: "open",
  style: written,
  doc: "Returns the OpenAPI 3.1 document of this server. Without a token that may read it, mounts and login methods appear at their default paths.",
  body: {
    generic_mount_paths: flag.default(
      false,
      "Describe all mounts once, with a path parameter for the mount.",
    ),
  },
  ignores: ["context"],
  reply: {},
  whole: map.required("OpenAPI document."),
  async run(deployment, { generic_mount_paths: generic }, caller) {
    const holder = await caller.tokenIdentity();
    const isReadable = (["read", "update"] as const).some((one) => holder?.can(one, path) === true);
    return (await import("./specs-run.ts")).describeApi(deployment, caller.tables, {
      generic,
      showsMounts: isReadable,
    });
  },
});
