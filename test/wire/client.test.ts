import { describe, expect, expectTypeOf, it } from "vitest";
import { authority, type Pki } from "../support/authority.ts";
import { deciding } from "../external/deciding.ts";

type Emptied = { readonly warnings: readonly string[] } | undefined;

describe("the typed client", () => {
  it("resolves to undefined if an endpoint returns no data, or to its warnings", async () => {
    const { pki, sys, root } = authority();
    await root();
    await sys.createMount({ path: "other", type: "pki" });
    const empty = [
      await pki.deleteRole({ name: "none" }),
      await pki.deleteIssuer({ issuer_ref: "none" }),
      await pki.deleteKey({ key_ref: "none" }),
      await sys.writeTune({ path: "other", description: "d" }),
      await sys.deleteMount({ path: "other" }),
    ];
    expect(empty).toEqual([undefined, undefined, undefined, undefined, undefined]);
    const warned = await pki.deleteRoot();
    expect(warned).toEqual({ warnings: ["All keys and issuers were deleted."] });
    expectTypeOf(warned).toEqualTypeOf<Emptied>();
    expectTypeOf<(typeof empty)[number]>().toEqualTypeOf<Emptied>();
  });
  it("has the type of the values for replies whose member names are data", async () => {
    const { sys } = authority();
    const mounts = await sys.listMounts();
    expect(mounts["pki/"]?.uuid).toMatch(/^[0-9a-f-]{36}$/);
    expectTypeOf(mounts["pki/"]?.options).toEqualTypeOf<
      Readonly<Record<string, string>> | null | undefined
    >();
    expectTypeOf((await sys.readMount({ path: "pki" })).accessor).toEqualTypeOf<string>();
    expectTypeOf(await sys.openapiSpec()).toEqualTypeOf<Readonly<Record<string, unknown>>>();
  });
  it("requires parameters without which the handler rejects the call", () => {
    expectTypeOf<{ csr: string; role: string }>().toExtend<Parameters<Pki["sign"]>[0]>();
    expectTypeOf<{ role: string }>().not.toExtend<Parameters<Pki["sign"]>[0]>();
    expectTypeOf<{ csr: string }>().not.toExtend<Parameters<Pki["sign"]>[0]>();
    expectTypeOf<{}>().not.toExtend<Parameters<Pki["signVerbatim"]>[0]>();
    expectTypeOf<{}>().not.toExtend<Parameters<Pki["signIntermediate"]>[0]>();
    expectTypeOf<undefined>().not.toExtend<Parameters<Pki["importKey"]>[0]>();
  });
  it("passes undeclared members to the policy service, and only in calls that reach one", async () => {
    const { a, asked } = await deciding();
    const site = { floor: 2 };
    const made = await a.pki.issueByPolicy({ key_type: "ec", common_name: "a.example", site });
    expect(made.private_key).toContain("PRIVATE KEY");
    expect(asked[0]?.user_request_key_values).toMatchObject({ common_name: "a.example", site });
    expectTypeOf({ key_type: 1 }).not.toExtend<Parameters<Pki["issueByPolicy"]>[0]>();
    expectTypeOf<"site">().not.toExtend<keyof Parameters<Pki["signVerbatim"]>[0]>();
  });
});
