import { describe, it } from "vitest";
import { authority, clockAt } from "../support/authority.ts";
import { preparedIssuer, signAsCertManager, ways, type Send } from "./cert-manager.ts";

const a = authority({ clock: clockAt(Date.now()) });
const send: Send = async (method, path, { body, headers = {} } = {}) => {
  const { status, json } = await a.call(method, path, body, { token: "", header: headers });
  return { status, json };
};
const credentials = await preparedIssuer(send, "root");

describe("the requests of cert-manager", () => {
  it.each(ways)("get a certificate signed after a login by %s", async (way) => {
    await signAsCertManager(send, way, credentials);
  });
});
