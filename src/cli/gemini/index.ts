/** Gemini CLI as a value. Facts are those of its tested version. */
import type { CliTelemetry, TelemetryTarget } from "../../contract/Plan.ts"
import { dialogue as modelsDialogue } from "../acp/models.ts"
import * as Cli from "../Cli.ts"
import type { Live } from "../Live.ts"
import { inRuns, inSessions } from "../supported.ts"
import { versions } from "../versions.ts"
import { looseArgument } from "./command/refusals.ts"
import { apiKeys, settingsPath } from "./command/surroundings.ts"
import { livePlan, plan } from "./command.ts"
import { report, step } from "./events.ts"
import { dialogue } from "./live/dialogue.ts"
import { reportedMode } from "./live/flavor.ts"
import { standing, start, verdictOf } from "./run/state.ts"
import { decodeWire, glance } from "./wire.ts"

/** Live sessions of Gemini CLI (0.61.0): `gemini --acp`, the Agent Client Protocol on stdin and stdout. */
export const live: Live = {
  supports: inSessions("gemini"),
  plan: livePlan,
  dialogue,
  hostTools: "server",
  hostToolPrefixes: ["mcp_host_"],
  // The CLI stays if it has started a server.
  leavesAtEndOfInput: false
}

/** Makes Gemini CLI (0.61.0) export its spans. They do not join the trace of its caller. */
const telemetry = ({ endpoint, protocol, content }: TelemetryTarget): CliTelemetry => ({
  env: {
    GEMINI_TELEMETRY_ENABLED: "true",
    GEMINI_TELEMETRY_TARGET: "local",
    GEMINI_TELEMETRY_OTLP_ENDPOINT: endpoint,
    GEMINI_TELEMETRY_OTLP_PROTOCOL: protocol === "grpc" ? "grpc" : "http",
    // Prompts by default.
    GEMINI_TELEMETRY_LOG_PROMPTS: String(content),
    GEMINI_TELEMETRY_TRACES_ENABLED: String(content)
  }
})

export const gemini = Cli.make({
  id: "gemini",
  provider: "gcp.gemini",
  command: "gemini",
  ...versions.gemini,
  install: "npm install -g @google/gemini-cli",
  otherInstalls: ["brew install gemini-cli"],
  signIn: "run `gemini` once and choose how to sign in, or set GEMINI_API_KEY",
  resumeCommands: ["gemini --resume", "gemini -r"],
  stopSignal: "SIGTERM",
  // The CLI gives up a server that is silent in mid-answer after 300 s; ten attempts with their pauses take 240 s. Neither
  // is printed, nor are thoughts.
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
