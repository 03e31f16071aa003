import { keySuite } from "../keys/suite.ts";

keySuite();
