/** Gemini CLI as a value. Facts are those of its tested version. */
import { dialogue as modelsDialogue } from "../acp/models.ts"
import * as Cli from "../Cli.ts"
import { inRuns } from "../supported.ts"
import { versions } from "../versions.ts"
import { looseArgument } from "./command/looseFlags.ts"
import { apiKeys, settingsPath } from "./command/surroundings.ts"
import { plan } from "./command.ts"
import { report, step } from "./events.ts"
import { reportedMode } from "./live/flavor.ts"
import { live } from "./live.ts"
import { glance } from "./run/glance.ts"
import { standing, verdictOf } from "./run/result.ts"
import { start } from "./run/state.ts"
import { telemetry } from "./telemetry.ts"
import { decodeWire } from "./wire.ts"

export const gemini = Cli.make({
  id: "gemini",
  provider: "gcp.gemini",
  command: "gemini",
  ...versions.gemini,
  install: "npm install -g @google/gemini-cli",
  signIn: "run `gemini` once and choose how to sign in, or set GEMINI_API_KEY",
  resumeCommands: ["gemini --resume", "gemini -r"],
  stopSignal: "SIGTERM",
  // A server silent in mid-answer is given up after 300 s; ten tries with their pauses take 240 s. Neither is printed,
  // nor are thoughts.
  idle: "10 minutes",
  sessionMarkers: ["GEMINI_CLI", "GEMINI_CLI_NO_RELAUNCH"],
  apiKeys,
  variables: ["GEMINI_*", "GOOGLE_*"],
  settingsPath,
  // The CLI never reports who pays.
  paysByApiKey: () => false,
  reportedMode,
  looseArgument,
  telemetry,
  supports: inRuns("gemini"),
  attachments: new Set(["image", "pdf", "text", "audio"]),
  plan,
  wire: decodeWire,
  glance,
  start,
  step,
  standing,
  report,
  verdict: verdictOf,
  live,
  models: { plan: (options, context) => live.plan({}, options, context), dialogue: modelsDialogue },
  resumesElsewhere: false,
  reportsUsage: { run: "all", live: "part" },
  stored: () => import("./stored.ts").then(({ stored }) => stored)
})
