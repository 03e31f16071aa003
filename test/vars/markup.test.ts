import { expect, it } from "vitest";
import { requestOf, varsDocument, withWorkspace, type Answer } from "./service.ts";

const evil = "<img src=x onerror=alert(1)><script>alert(1)</script>\"'`</title>\u202eexe";

it("security row 86: markup that the variables API stores or repeats is returned unchanged, and never as a web page", async () => {
  const { call, send, workspace } = await withWorkspace();
  const seen: Answer[] = [];
  const ask = async (...sent: Parameters<typeof call>): Promise<Answer> => {
    const answer = await call(...sent);
    seen.push(answer);
    return answer;
  };
  const document = (type: string, attributes: object) => ({ data: { type, attributes } });
  const path = `/workspaces/${workspace}/vars`;
  // stored
  const attributes = { key: evil, value: evil, description: evil, category: "env" };
  const made = await ask("POST", path, varsDocument(attributes));
  expect([made.status, made.data["attributes"]]).toEqual([
    201,
    expect.objectContaining(attributes),
  ]);
  const one = `${path}/${String(made.data["id"])}`;
  expect((await ask("GET", one)).data["attributes"]).toMatchObject(attributes);
  for (const each of [path, "/vars"])
    expect((await ask("GET", each)).json["data"]?.["0"]?.["attributes"]).toMatchObject(attributes);
  const team = await ask(
    "POST",
    "/organizations/acme/teams",
    document("teams", { name: evil, "sso-team-id": evil }),
  );
  expect(team.data["attributes"]).toMatchObject({ name: evil });
  await ask("POST", `/teams/${String(team.data["id"])}/authentication-tokens`, {
    data: { attributes: { description: evil } },
  });
  await ask("GET", `/teams/${String(team.data["id"])}/authentication-tokens`);
  await ask("PATCH", "/organizations/acme", document("organizations", { email: evil }));
  await ask(
    "PATCH",
    `/workspaces/${workspace}`,
    document("workspaces", { description: evil, "tag-names": [evil], "source-url": evil }),
  );
  await ask("GET", `/organizations/acme/workspaces?search%5Bname%5D=${encodeURIComponent(evil)}`);
  await ask(
    "POST",
    "/admin/users",
    document("users", { username: evil.slice(0, 60), email: evil }),
  );
  await ask("GET", "/account/details");
  expect(seen.filter(({ status }) => status >= 300).map(({ text }) => text)).toEqual([]);
  expect((await ask("GET", `${path}/export?format=json`)).json["data"]).toMatchObject([
    { attributes },
  ]);
  const dotenv = await ask("GET", `${path}/export`);
  expect(dotenv.text).toContain("not a valid shell variable name");
  // repeated in an error, or not
  await ask("GET", `/${encodeURIComponent(evil)}`);
  await ask("GET", `${path}/${encodeURIComponent(evil)}`);
  await ask("GET", `${path}/export?format=${encodeURIComponent(evil)}`);
  await ask("GET", `/vars?filter%5Bworkspace%5D%5Bname%5D=${encodeURIComponent(evil)}`);
  await ask("POST", path, evil);
  await ask("POST", path, `{${JSON.stringify(evil)}:1,${JSON.stringify(evil)}:2}`);
  await ask("POST", path, varsDocument({ key: evil, category: evil, hcl: evil }));
  await ask("POST", "/organizations", document("organizations", { name: evil }));
  await ask(
    "POST",
    "/organizations",
    document("organizations", { name: "x", email: "x", "default-execution-mode": evil }),
  );
  await ask("POST", path, varsDocument({}), {
    headers: { "content-type": evil.replaceAll("\u202e", "") },
  });
  await ask("GET", "/vars", undefined, { token: encodeURIComponent(evil) });
  seen.push(await send(requestOf("GET", `/.well-known/${encodeURIComponent(evil)}`, undefined)));
  seen.push(await send(requestOf("GET", "/.well-known/terraform.json", undefined)));
  const types = new Set([
    "application/vnd.api+json; charset=utf-8",
    "application/json",
    "text/plain; charset=utf-8",
    null,
  ]);
  for (const { status, headers, text } of seen) {
    const type = headers.get("content-type");
    expect([
      status,
      types.has(type),
      headers.get("x-content-type-options"),
      type === null && text !== "",
    ]).toEqual([status, true, "nosniff", false]);
    expect(status).toBeLessThan(500);
    expect([
      // locations of created objects consist of letters, digits, - and _
      headers.get("location")?.replace(/^(?:\/[\w-]+)+$/, "") || null,
      headers.get("refresh"),
      headers.get("link")?.includes("<img") ?? false,
    ]).toEqual([null, null, false]);
  }
});
