export { csvOf } from "../csv.ts";
export { RenewChosen } from "./renewchosen.tsx";
export { RevokeChosen } from "./revokechosen.tsx";
