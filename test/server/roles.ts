import { expect } from "vitest";
import { apiOf } from "../http/api.ts";
import type { RunningServer } from "../support/server.ts";

/** Writes a role; once acknowledged, it is stored. */
export async function writeRole(server: RunningServer, name: string): Promise<void> {
  const { status, text } = await apiOf(server)("POST", `pki/roles/${name}`, {});
  expect(status, text).toBe(200);
}

/** Returns the names of a server's roles. */
export async function rolesOf(server: RunningServer): Promise<readonly string[]> {
  const { status, data } = await apiOf(server)("LIST", "pki/roles");
  return status === 404 ? [] : data.keys;
}
