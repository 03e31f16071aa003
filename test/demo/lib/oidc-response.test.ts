import { describe, expect, it } from "vitest";
import {
  explainSignInError,
  isResponseTo,
  providerError,
  readAuthUrl,
  readOidcResponse,
  readPending,
} from "../../../demo/lib/oidc-response.ts";

const uri = "https://ca.example/demo/";
const pending = {
  state: "s",
  client_nonce: "n",
  at: "oidc",
  role: "",
  keep: true,
  returnTo: "?mount=pki#/issue",
};

describe("the response of an identity provider", () => {
  it("is recognized by a state and a code, or an error", () => {
    expect(readOidcResponse("?state=s&code=c&iss=https://idp.example")).toMatchObject({
      state: "s",
      code: "c",
      iss: "https://idp.example",
    });
    expect(readOidcResponse("?error=access_denied&state=s")).toMatchObject({
      error: "access_denied",
    });
    for (const search of ["", "?mount=pki", "?code=c", "?state=s", "?state=&code=c"])
      expect(readOidcResponse(search)).toBeUndefined();
  });

  it("matches only the sign-in with its state, even if the tab stored none or a malformed one", () => {
    const response = readOidcResponse("?state=s&code=c");
    const answers = (stored: string | null) =>
      response && isResponseTo(response, readPending(stored));
    expect(answers(JSON.stringify(pending))).toBe(true);
    expect(readPending(JSON.stringify(pending))).toEqual(pending);
    for (const stored of [null, "", "{", "1", "{}", JSON.stringify({ ...pending, state: "t" })])
      expect(answers(stored)).toBe(false);
  });

  it.each([
    ["access_denied", "ask your administrator"],
    ["temporarily_unavailable", "Try again in a moment"],
    ["invalid_scope", `the redirect URI ${uri}`],
    ["other", "(other: not today)"],
  ])("explains the error %s", (error, text) => {
    const response = readOidcResponse(`?state=s&error=${error}&error_description=not today`);
    expect(response && providerError(response, uri)).toContain(text);
  });
});

it("readAuthUrl requires an https URL with a state", () => {
  expect(readAuthUrl("https://idp.example/auth?state=s")).toEqual({
    url: "https://idp.example/auth?state=s",
    state: "s",
  });
  for (const url of [
    "javascript:alert(1)//?state=s",
    "http://idp.example/?state=s",
    "https://idp.example/",
    "",
  ])
    expect(() => readAuthUrl(url)).toThrow("did not return an https URL");
});

it.each([
  [404, "no handler", "There is no login method with single sign-on at auth/oidc"],
  [
    400,
    `unauthorized redirect_uri: "${uri}" is not in allowed`,
    `must add ${uri} to its allowed_r`,
  ],
  [400, "missing role", "enter a role"],
  [400, "expired or missing OAuth state: begin the login again", "Sign in again"],
])("a sign-in that the server rejects with %i %s is explained", (status, message, text) => {
  expect(explainSignInError({ status, message }, { at: "oidc", role: "", uri })).toContain(text);
});

it("an error message that is clear enough is not replaced", () => {
  const error = { status: 400, message: 'error validating claims: claim "sub" is missing' };
  expect(explainSignInError(error, { at: "oidc", role: "", uri })).toBeUndefined();
});
