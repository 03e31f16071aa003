import { atLeast, figure, round } from "./figures.ts";
import { medianOf, ratio, roundsOf, type Kind } from "./kinds.ts";
import { post } from "./load.ts";
import { signingRequest, startSubject, type Subject } from "./server.ts";

type Send = (path: string, body?: unknown) => Promise<Readonly<Record<string, unknown>>>;
const senderTo =
  ({ url, token }: Subject): Send =>
  async (path, body) => {
    const answer = await fetch(`${url}/v1/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "x-vault-token": token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
    return text === "" ? {} : JSON.parse(text);
  };

/**
 * Allows a user and an AppRole to enroll. Returns the credentials of each for Basic authentication.
 */
async function prepared(send: Send): Promise<Readonly<Record<"userpass" | "approle", string>>> {
  const accessors: Record<string, string> = {};
  for (const type of ["userpass", "approle"]) {
    await send(`sys/auth/${type}`, { type, config: { token_type: "batch" } });
    accessors[type] = String((await send(`sys/auth/${type}`))["accessor"]);
  }
  await send("sys/policies/acl/device", {
    policy: 'path "pki/roles/web/est/*" { capabilities = ["create", "update"] }',
  });
  const password = "correct horse battery";
  await send("auth/userpass/users/d1", { password, token_policies: "device" });
  await send("auth/approle/role/d1", { token_policies: "device" });
  const memberOf = async (name: string, path: string, body?: unknown): Promise<string> =>
    // the members of a response in an envelope are in `data`
    String(((await send(path, body))["data"] as Record<string, unknown>)[name]);
  await send("sys/mounts/pki/tune", { delegated_auth_accessors: Object.values(accessors) });
  await send("pki/config/est", {
    enabled: true,
    default_mount: true,
    default_path_policy: "role:web",
    authenticators: {
      userpass: { accessor: accessors["userpass"] },
      approle: { accessor: accessors["approle"] },
    },
  });
  const role = await memberOf("role_id", "auth/approle/role/d1/role-id");
  const secret = await memberOf("secret_id", "auth/approle/role/d1/secret-id", {});
  return { userpass: `d1:${password}`, approle: `${role}:${secret}` };
}

/** Measures the cost of an EST enrollment relative to signing a CSR. */
export async function benchEst(length: {
  readonly seconds: number;
  readonly rounds: number;
}): Promise<void> {
  const server = await startSubject();
  try {
    const send = senderTo(server);
    const basic = await prepared(send);
    const csr = await signingRequest();
    const body = csr.replace(/-----[^-]+-----/g, "").trim();
    const enrolling = (credentials: string): Kind => {
      const sent = Buffer.from(
        `POST /.well-known/est/simpleenroll HTTP/1.1\r\nHost: bench\r\nAuthorization: Basic ${Buffer.from(credentials).toString("base64")}\r\nContent-Type: application/pkcs10\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      return { server, connections: 8, request: () => sent };
    };
    const signing = JSON.stringify({ csr });
    const kinds = {
      sign: {
        server,
        connections: 8,
        request: () => post("/v1/pki/sign/web", server.token, signing),
      },
      approle: enrolling(basic.approle),
      userpass: enrolling(basic.userpass),
    };
    const seen = await roundsOf(kinds, length);
    for (const rounds of Object.values(seen))
      for (const { firstError } of rounds) if (firstError !== "") throw new Error(firstError);
    for (const name of Object.keys(kinds))
      figure(`EST: ${name}`, `${round(medianOf(seen, name, ({ rps }) => rps))}/s`);
    const cpu = ratio(seen, "approle", "sign", (one) => one.cpu);
    figure("EST enrollment with an AppRole: CPU time, relative to a sign", round(cpu));
    const rates = ratio(seen, "approle", "sign", ({ rps }) => rps);
    atLeast("EST enrollment with an AppRole, relative to a sign", rates, 0.6);
  } finally {
    await server.stop();
  }
}
