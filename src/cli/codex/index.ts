/** Codex as a value. Facts are those of its tested version. */

import type { CliTelemetry, TelemetryTarget } from "../../contract/Plan.ts"
import * as Cli from "../Cli.ts"
import type { Live } from "../Live.ts"
import { inRuns, inSessions } from "../supported.ts"
import { versions } from "../versions.ts"
import { looseArgument } from "./command/extraArgs.ts"
import * as Toml from "./command/toml.ts"
import { plan } from "./command.ts"
import { standing, step, verdictOf } from "./events.ts"
import { livePlan } from "./live/command.ts"
import { makeDialogue } from "./live/dialogue.ts"
import { reportedMode } from "./live/modes.ts"
import { models } from "./models.ts"
import { glance } from "./run/glance.ts"
import { start } from "./run/state.ts"
import { decodeWire } from "./wire.ts"

// Where npm puts the program behind the `codex` command, which is a script of Node's (0.169.0). From Node 22.15 on the
// script becomes the program; before, it starts it as a child that outlives it and holds stdout open when it is killed.

const platforms: Readonly<Record<string, string>> = {
  linux: "unknown-linux-musl",
  android: "unknown-linux-musl",
  darwin: "apple-darwin"
}

const architectures: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" }

/**
 * Paths to try, the best first; none where the program is not npm's. `wrapper` is the real path of the command, with
 * `process.platform` and `process.arch` beside it. Windows has no groups to signal: its wrapper stays.
 */
export const nativeCommands = (wrapper: string, platform: string, arch: string): ReadonlyArray<string> => {
  const root = /^(.*\/@openai\/codex)\/bin\/codex\.js$/.exec(wrapper)?.[1]
  const system = platforms[platform]
  const architecture = architectures[arch]
  if (root === undefined || system === undefined || architecture === undefined) return []
  const target = `${architecture}-${system}`
  const folder = `codex-${platform === "android" ? "linux" : platform}-${arch}`
  const siblings = root.slice(0, root.lastIndexOf("/"))
  const packages = [`${root}/node_modules/@openai/${folder}`, `${siblings}/${folder}`, root]
  return packages.map((directory) => `${directory}/vendor/${target}/bin/codex`)
}

/** How Codex holds a live session: one `app-server`, one thread, JSON lines both ways (0.169.0). */
export const live: Live = {
  supports: inSessions("codex"),
  plan: livePlan,
  dialogue: makeDialogue,
  takesOutputSchema: true,
  hostTools: "dialogue",
  hostToolPrefixes: ["mcp__host__"],
  leavesAtEndOfInput: true
}

const exporterOf = ({ endpoint, traces, protocol }: TelemetryTarget) => {
  if (protocol === "grpc") return `{otlp-grpc={endpoint=${Toml.text(endpoint)}}}`
  const format = protocol === "http/json" ? "json" : "binary"
  return `{otlp-http={endpoint=${Toml.text(traces)},protocol="${format}"}}`
}

/** How Codex (0.169.0) is told to export its spans; pure. It reads no variable for that, and its endpoint is the whole URL. */
const telemetry = (target: TelemetryTarget): CliTelemetry => ({
  args: [
    ["trace_exporter", exporterOf(target)],
    ["log_user_prompt", String(target.content)]
  ].flatMap(([key, value]) => ["-c", `otel.${key}=${value}`].map((text) => ({ option: "telemetry", text })))
})

const words = /\bthread (\S{1,128}) already has an active writer\b/g

/** Codex keeps other processes out of a thread by itself, and says so (0.169.0): on stderr of `exec`, in its answer live. */
const refusesBusy = (message: string, sessionId: string): boolean =>
  [...message.matchAll(words)].some(([, thread]) => thread === sessionId)

export const codex: Cli.Cli = Cli.make({
  id: "codex",
  provider: "openai",
  command: "codex",
  ...versions.codex,
  install: "npm install -g @openai/codex",
  // `codex app-server` does not read the variable (0.169.0).
  signIn:
    "run `codex login` once (`--with-api-key` takes a key), or set CODEX_API_KEY, which live sessions do not read",
  resumeCommands: ["codex resume", "codex exec resume"],
  // `codex login status` (0.169.0): exit code 0 and 1. It knows the account alone, no key of the environment.
  signInCheck: {
    args: ["login", "status"],
    read: ({ exitCode }) => (exitCode === 0 ? true : exitCode === 1 ? false : undefined),
    billing: ({ stdout }) =>
      /\busing ChatGPT\b/.test(stdout) ? "subscription" : /\bAPI key\b/.test(stdout) ? "api-key" : undefined
  },
  nativeCommands,
  stopSignal: "SIGINT",
  // Codex itself gives up a stream after 300 s of silence, and reports each retry. But it prints no deltas: during a
  // long thought, a long answer or patch, or a sleeping script of code mode nothing is printed while the model works.
  // Three times its own patience.
  idle: "15 minutes",
  sessionMarkers: [
    "CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS",
    "CODEX_CI",
    "CODEX_MANAGED_BY_BUN",
    "CODEX_MANAGED_BY_NPM",
    "CODEX_MANAGED_BY_PNPM",
    "CODEX_MANAGED_BY_VITE_PLUS",
    "CODEX_MANAGED_PACKAGE_ROOT",
    "CODEX_PERMISSION_PROFILE",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_SESSION_ID",
    "CODEX_THREAD_ID",
    "CODEX_TOOL_CALL_ID",
    "CODEX_VERSION"
  ],
  apiKeys: ["CODEX_API_KEY"],
  variables: ["CODEX_HOME"],
  // `exec` never reports where its credentials come from.
  paysByApiKey: () => true,
  reportedMode,
  refusesBusy,
  looseArgument,
  telemetry,
  supports: inRuns("codex"),
  attachments: new Set(["image"]),
  live,
  models,
  plan,
  wire: decodeWire,
  glance,
  start,
  step,
  standing,
  report: (state) => state.report,
  verdict: verdictOf,
  // No line names the model, which the price depends on.
  reportsUsage: { run: "part", live: "all" },
  stored: () => import("./stored.ts").then(({ stored }) => stored)
})
