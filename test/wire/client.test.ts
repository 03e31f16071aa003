import { describe, expect, expectTypeOf, it } from "vitest";
import { authority, type Pki } from "../support/authority.ts";
import { deciding } from "../external/deciding.ts";

type Emptied = { readonly warnings: readonly string[] } | undefined;

describe("the typed client", () => {
  it("gives nothing where an endpoint has nothing to say, and its warnings where it has some", async () => {
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
  it("types a reply whose members' names are data as what each of them is", async () => {
    const { sys } = authority();
    const mounts = await sys.listMounts();
    expect(mounts["pki/"]?.uuid).toMatch(/^[0-9a-f-]{36}$/);
    expectTypeOf(mounts["pki/"]?.options).toEqualTypeOf<
      Readonly<Record<string, string>> | null | undefined
    >();
    expectTypeOf((await sys.readMount({ path: "pki" })).accessor).toEqualTypeOf<string>();
    expectTypeOf(await sys.openapiSpec()).toEqualTypeOf<Readonly<Record<string, unknown>>>();
  });
  it("demands what a handler refuses when it is missing", () => {
    expectTypeOf<{ csr: string; role: string }>().toExtend<Parameters<Pki["sign"]>[0]>();
    expectTypeOf<{ role: string }>().not.toExtend<Parameters<Pki["sign"]>[0]>();
    expectTypeOf<{ csr: string }>().not.toExtend<Parameters<Pki["sign"]>[0]>();
    expectTypeOf<{}>().not.toExtend<Parameters<Pki["signVerbatim"]>[0]>();
    expectTypeOf<{}>().not.toExtend<Parameters<Pki["signIntermediate"]>[0]>();
    expectTypeOf<undefined>().not.toExtend<Parameters<Pki["importKey"]>[0]>();
  });
  it("hands on members that are not declared where a policy service is to get them, and only there", async () => {
    const { a, asked } = await deciding();
    const site = { floor: 2 };
    const made = await a.pki.issueByPolicy({ key_type: "ec", common_name: "a.example", site });
    expect(made.private_key).toContain("PRIVATE KEY");
    expect(asked[0]?.user_request_key_values).toMatchObject({ common_name: "a.example", site });
    expectTypeOf({ key_type: 1 }).not.toExtend<Parameters<Pki["issueByPolicy"]>[0]>();
    expectTypeOf<"site">().not.toExtend<keyof Parameters<Pki["signVerbatim"]>[0]>();
  });
});
