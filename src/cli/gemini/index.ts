/** Gemini CLI as a value. Facts are those of its tested version. */
import * as Cli from "../Cli.ts"
import { versions } from "../versions.ts"
import { plan } from "./command.ts"
import { report, step } from "./events.ts"
import { reportedMode } from "./flavor.ts"
import { live } from "./live.ts"
import { looseArgument } from "./looseFlags.ts"
import { standing, verdictOf } from "./result.ts"
import { start } from "./state.ts"
import { shared } from "./supports.ts"
import { apiKeys, settingsPath } from "./surroundings.ts"
import { decodeWire } from "./wire.ts"

export const gemini = Cli.make({
  id: "gemini",
  command: "gemini",
  ...versions.gemini,
  install: "npm install -g @google/gemini-cli",
  signIn: "run `gemini` once and choose how to sign in, or set GEMINI_API_KEY",
  stopSignal: "SIGTERM",
  // A server silent in mid-answer is given up after 300 s; ten tries with their pauses take 240 s. Both print nothing,
  // and neither do thoughts.
  idle: "10 minutes",
  sessionMarkers: ["GEMINI_CLI", "GEMINI_CLI_NO_RELAUNCH"],
  apiKeys,
  variables: ["GEMINI_*", "GOOGLE_*"],
  settingsPath,
  // The CLI never tells who pays.
  paysByApiKey: () => false,
  reportedMode,
  looseArgument,
  supports: new Set([...shared, "newSessionId"]),
  plan,
  wire: decodeWire,
  start,
  step,
  standing,
  report,
  verdict: verdictOf,
  live
})
