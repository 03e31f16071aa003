import { keySuite } from "./suite.ts";

keySuite();
