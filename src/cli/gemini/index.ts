/** Gemini CLI as a value. Facts are those of its tested version. */

import type { CliTelemetry, TelemetryTarget } from "../../contract/Plan.ts"
import { acpDialogue } from "../acp/live/dialogue.ts"
import { dialogue as modelsDialogue } from "../acp/models.ts"
import * as Cli from "../Cli.ts"
import { type Dialogue, isAction, type Live, type Output } from "../Live.ts"
import { inRuns, inSessions } from "../supported.ts"
import { versions } from "../versions.ts"
import { looseArgument } from "./command/refusals.ts"
import { apiKeys, settingsPath } from "./command/surroundings.ts"
import { plan } from "./command.ts"
import { report, step } from "./events.ts"
import { livePlan, sessionServers } from "./live/command.ts"
import { geminiFlavor, reportedMode } from "./live/flavor.ts"
import { withModes } from "./live/modes.ts"
import { withPlans } from "./live/plans.ts"
import { glance } from "./run/glance.ts"
import { standing, verdictOf } from "./run/result.ts"
import { start } from "./run/state.ts"
import { decodeWire } from "./wire.ts"

const loadedAs = (sessionId: string) => ` ${sessionId}`

const named = (output: Output): Output =>
  !isAction(output) && output.type === "session" ? { ...output, sessionId: output.sessionId.trim() } : output

/** Restores a loaded session's own id, whatever the CLI calls it. */
const withName = (dialogue: Dialogue): Dialogue => ({ ...dialogue, push: (json) => dialogue.push(json).map(named) })

const dialogue: Live["dialogue"] = (params, context) => {
  const { sessionId } = params
  const sessionParams = {
    ...params,
    mcpServers: sessionServers(params),
    ...(sessionId === undefined ? {} : { sessionId: loadedAs(sessionId) })
  }
  return withModes(withPlans(withName(acpDialogue(geminiFlavor)(sessionParams, context))))
}

/**
 * Live sessions of Gemini CLI (0.61.0): `gemini --acp`, the Agent Client Protocol on stdin and stdout. A session is
 * loaded by its id with a blank in front. The CLI looks the id up without the blank; but with it, the empty record that
 * it creates on the way has a name of its own. By the same name that record would replace a conversation started in the
 * same minute, and at the next start the empty one would be deleted together with the real one.
 */
export const live: Live = {
  supports: inSessions("gemini"),
  plan: livePlan,
  dialogue,
  hostTools: "server",
  hostToolPrefixes: ["mcp_host_"],
  // With a server that it has started itself, the CLI stays.
  leavesAtEndOfInput: false
}

/** How Gemini CLI (0.61.0) is told to export its spans; pure. They do not join the trace of its caller. */
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
