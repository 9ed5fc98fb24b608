/** Codex as a value. Facts are those of its tested version. */
import type { CliTelemetry, TelemetryTarget } from "../../contract/Plan.ts"
import * as Cli from "../Cli.ts"
import type { Live } from "../Live.ts"
import { inRuns, inSessions } from "../supported.ts"
import { versions } from "../versions.ts"
import { looseArgument } from "./command/extraArgs.ts"
import { tomlText } from "./command/flags.ts"
import { livePlan, plan } from "./command.ts"
import { standing, step, verdictOf } from "./events.ts"
import { makeDialogue } from "./live/dialogue.ts"
import { reportedMode } from "./live/modes.ts"
import { models } from "./models.ts"
import { glance } from "./run/glance.ts"
import { start } from "./run/state.ts"
import { decodeWire } from "./wire.ts"

const platforms: Readonly<Record<string, string>> = {
  linux: "unknown-linux-musl",
  android: "unknown-linux-musl",
  darwin: "apple-darwin"
}

const architectures: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" }

/**
 * Where npm puts the program behind the `codex` command, a script (0.169.0): before Node 22.15 it starts the program as a child
 * that outlives it and holds stdout open. Paths to try, the best first; none if the program is not npm's. `wrapper` is the
 * real path of the command. Windows has no groups to signal: its wrapper stays.
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

/** Live sessions of Codex: one `app-server`, one thread, JSON lines both ways (0.169.0). */
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
  if (protocol === "grpc") return `{otlp-grpc={endpoint=${tomlText(endpoint)}}}`
  const format = protocol === "http/json" ? "json" : "binary"
  return `{otlp-http={endpoint=${tomlText(traces)},protocol="${format}"}}`
}

/** Makes Codex (0.169.0) export its spans. It reads no variable for that, and its endpoint is the whole URL. */
const telemetry = (target: TelemetryTarget): CliTelemetry => ({
  args: [
    ["trace_exporter", exporterOf(target)],
    ["log_user_prompt", String(target.content)]
  ].flatMap(([key, value]) => ["-c", `otel.${key}=${value}`].map((text) => ({ option: "telemetry", text })))
})

const words = /\bthread (\S{1,128}) already has an active writer\b/g

/** Codex keeps other processes out of a thread (0.169.0); it reports that on stderr of `exec`, and in its answer live. */
const refusesBusy = (message: string, sessionId: string): boolean =>
  [...message.matchAll(words)].some(([, thread]) => thread === sessionId)

export const codex: Cli.Cli = Cli.make({
  id: "codex",
  provider: "openai",
  command: "codex",
  ...versions.codex,
  install: "npm install -g @openai/codex",
  otherInstalls: ["curl -fsSL https://chatgpt.com/codex/install.sh | sh", "brew install --cask codex"],
  // `codex app-server` does not read the variable (0.169.0).
  signIn:
    "run `codex login` once (`--with-api-key` takes a key), or set CODEX_API_KEY, which live sessions do not read",
  resumeCommands: ["codex resume", "codex exec resume"],
  // `codex login status` (0.169.0): exit code 0 or 1, for the account alone, without keys of the environment.
  signInCheck: {
    args: ["login", "status"],
    read: ({ exitCode }) => (exitCode === 0 ? true : exitCode === 1 ? false : undefined),
    billing: ({ stdout }) =>
      /\busing ChatGPT\b/.test(stdout) ? "subscription" : /\bAPI key\b/.test(stdout) ? "api-key" : undefined
  },
  nativeCommands,
  stopSignal: "SIGINT",
  // Codex gives up a stream after 300 s of silence, and reports each retry. But it prints no deltas: it is silent during a
  // long thought, answer or patch, or a sleeping script of code mode. Three times its own limit.
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
