/** Claude Code as a value. Facts are those of its tested version. */
import { Option, Schema } from "effect"
import type { CliTelemetry, TelemetryTarget } from "../../contract/Plan.ts"
import * as Cli from "../Cli.ts"
import type { Live } from "../Live.ts"
import { inRuns, inSessions } from "../supported.ts"
import { versions } from "../versions.ts"
import { reportedMode } from "./command/arguments.ts"
import { looseArgument } from "./command/flags.ts"
import { livePlan, plan } from "./command.ts"
import { lineSession, standing, step } from "./events.ts"
import { makeDialogue } from "./live/dialogue.ts"
import { models } from "./models.ts"
import { glance } from "./run/glance.ts"
import { lastVerdict, report, start } from "./run/state.ts"
import { decodeWire } from "./wire.ts"

/** Live sessions of Claude Code: one process, JSON lines both ways (2.1.328). */
export const live: Live = {
  supports: inSessions("claude"),
  plan: livePlan,
  dialogue: (params) => makeDialogue(params),
  hostTools: "dialogue",
  hostToolPrefixes: ["mcp__host__"],
  leavesAtEndOfInput: true
}

/** Makes Claude Code (2.1.330) export its spans. Its metrics and logs stay off. */
const telemetry = ({ endpoint, protocol, content }: TelemetryTarget): CliTelemetry => ({
  env: {
    CLAUDE_CODE_ENABLE_TELEMETRY: "1",
    CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1",
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    ...(content ? { OTEL_LOG_USER_PROMPTS: "1", OTEL_LOG_TOOL_CONTENT: "1" } : {})
  }
})

const AuthStatus = Schema.Struct({ loggedIn: Schema.Boolean, authMethod: Schema.optionalKey(Schema.Unknown) })
const decodeAuthStatus = Schema.decodeUnknownOption(Schema.fromJsonString(AuthStatus))
const authStatus = ({ stdout }: Cli.CommandAnswer) => Option.getOrUndefined(decodeAuthStatus(stdout))
const paying = { "claude.ai": "subscription", api_key: "api-key" } as const
const isPaying = (method: unknown): method is keyof typeof paying => Object.hasOwn(paying, String(method))

export const claude = Cli.make({
  id: "claude",
  provider: "anthropic",
  command: "claude",
  ...versions.claude,
  install: "npm install -g @anthropic-ai/claude-code",
  otherInstalls: ["curl -fsSL https://claude.ai/install.sh | bash", "brew install --cask claude-code"],
  signIn: "run `claude` once and follow /login, or set ANTHROPIC_API_KEY",
  resumeCommands: ["claude --resume", "claude -r"],
  // `claude auth status` (2.1.328) answers in JSON; keys of the environment and other providers count.
  signInCheck: {
    args: ["auth", "status"],
    read: (answer) => authStatus(answer)?.loggedIn,
    billing: (answer) => {
      const method = authStatus(answer)?.authMethod
      return isPaying(method) ? paying[method] : undefined
    }
  },
  stopSignal: "SIGTERM",
  // The CLI gives up a server that is silent before its answer after 360 s, one silent in mid-answer after 300 s.
  idle: "400 seconds",
  sessionMarkers: [
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_NOTES_DIR",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_EFFORT",
    "CLAUDE_PID"
  ],
  apiKeys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  variables: ["CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR", "ANTHROPIC_BASE_URL"],
  paysByApiKey: (authSource) => authSource !== "none",
  reportedMode,
  looseArgument,
  telemetry,
  supports: inRuns("claude"),
  attachments: new Set(["image", "pdf", "text"]),
  lineSession,
  live,
  models,
  plan,
  wire: decodeWire,
  glance,
  start: ({ sessionId }) => start(sessionId !== undefined),
  step,
  standing,
  report,
  verdict: lastVerdict,
  stored: () => import("./stored.ts").then(({ stored }) => stored)
})
