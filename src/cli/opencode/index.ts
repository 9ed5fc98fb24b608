/**
 * OpenCode as a value. Facts are those of its tested version. A session belongs to its directory: resumed from another one, the
 * CLI prints nothing until a budget ends it. An MCP server that does not start is not reported.
 */
import type { CliTelemetry, TelemetryTarget } from "../../contract/Plan.ts"
import { acpDialogue } from "../acp/live/dialogue.ts"
import * as Cli from "../Cli.ts"
import type { Live } from "../Live.ts"
import { inRuns, inSessions } from "../supported.ts"
import { versions } from "../versions.ts"
import { looseBaseArgument as looseArgument } from "./command/problems.ts"
import { livePlan, plan } from "./command.ts"
import { step } from "./events.ts"
import { opencodeFlavor, reportedMode } from "./live/flavor.ts"
import { models } from "./models.ts"
import { standingOf, verdictOf } from "./run/result.ts"
import { start } from "./run/state.ts"
import { decodeWire } from "./wire.ts"

/** Live sessions of OpenCode (1.18.33): `opencode acp`, the Agent Client Protocol on stdin and stdout. */
const live: Live = {
  supports: inSessions("opencode"),
  plan: livePlan,
  dialogue: acpDialogue(opencodeFlavor),
  hostTools: "server",
  hostToolPrefixes: ["host_"],
  leavesAtEndOfInput: true
}

/** Makes OpenCode (1.18.33) export its spans. They do not join the trace of its caller. */
const telemetry = ({ endpoint }: TelemetryTarget): CliTelemetry => ({
  env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
})

export const opencode = Cli.make({
  id: "opencode",
  command: "opencode",
  ...versions.opencode,
  install: "npm install -g opencode-ai",
  otherInstalls: ["curl -fsSL https://opencode.ai/install | bash", "brew install anomalyco/tap/opencode"],
  signIn: "run `opencode auth login`, or set the key of a provider such as ANTHROPIC_API_KEY",
  resumeCommands: ["opencode --session", "opencode -s", "opencode run --session", "opencode run -s"],
  // `opencode auth list` (1.18.33) counts credentials. Without any, models that need no key may still work.
  signInCheck: {
    args: ["auth", "list"],
    read: ({ stdout }) => (/\b[1-9]\d* (?:credential|environment variable)s?\b/.test(stdout) ? true : undefined)
  },
  stopSignal: "SIGTERM",
  // The first line comes with the model's first words: after MCP servers (30 s each), 75 s of retries of a refused request,
  // or 300 s until the retry at a silent server.
  startup: "10 minutes",
  // Nothing is printed while a tool or a sub-agent works.
  idle: "1 hour",
  sessionMarkers: ["OPENCODE", "OPENCODE_PID"],
  apiKeys: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_API_KEY"],
  variables: ["OPENCODE_*"],
  // The CLI never reports which credentials it uses.
  paysByApiKey: () => false,
  reportedMode,
  looseArgument,
  telemetry,
  supports: inRuns("opencode"),
  attachments: new Set(["image", "pdf", "text"]),
  plan,
  wire: decodeWire,
  start,
  step,
  standing: standingOf,
  report: (state) => state.report,
  verdict: verdictOf,
  live,
  models,
  resumesElsewhere: false,
  reportsUsage: { run: "main", live: "part" },
  stored: () => import("./stored.ts").then(({ stored }) => stored)
})
