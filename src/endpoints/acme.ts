import {
  acmeDirectory,
  acmeNewNonce,
  acmeSignedDirectory,
  acmeSignedNewNonce,
} from "../acme/protocol/open.ts";
import { changeAccount } from "../acme/account/account.ts";
import { keyChange } from "../acme/account/key-change.ts";
import { newAccount } from "../acme/account/new-account.ts";
import { acmeAuthorization } from "../acme/order/authorization.ts";
import { acmeCertificate } from "../acme/order/certificate.ts";
import { acmeFinalize } from "../acme/order/finalize.ts";
import { acmeNewOrder } from "../acme/order/new-order.ts";
import { acmeOrder } from "../acme/order/order.ts";
import { acmeRenewalInfo } from "../acme/order/renewal-info.ts";
import { acmeRevoke } from "../acme/order/revoke-cert.ts";
import { acmeChallenge } from "../acme/validation/challenge.ts";
import * as accountOrders from "../acme/account/orders.ts";

/** All endpoints of the ACME protocol on a CA mount, for ACME clients. */
export const acme = [
  acmeNewNonce,
  acmeSignedNewNonce,
  acmeDirectory,
  acmeSignedDirectory,
  newAccount,
  changeAccount,
  keyChange,
  accountOrders.listOrders,
  accountOrders.listAccountOrders,
  acmeNewOrder,
  acmeOrder,
  acmeFinalize,
  acmeCertificate,
  acmeAuthorization,
  acmeChallenge,
  acmeRevoke,
  acmeRenewalInfo,
] as const;
