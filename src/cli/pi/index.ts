/**
 * Pi as a value. Facts are those of its tested version. Its exit code is 0 for every error of a model, and its session belongs
 * to its directory: resumed from another one, it would ask on a terminal. It takes no MCP servers of a caller, and never asks
 * for a permission.
 */
import * as Cli from "../Cli.ts"
import type { Live } from "../Live.ts"
import { inRuns, inSessions } from "../supported.ts"
import { versions } from "../versions.ts"
import { livePlan, plan } from "./command.ts"
import { step } from "./events.ts"
import { makeDialogue } from "./live/dialogue.ts"
import { models } from "./models.ts"
import { standingOf, start, verdictOf } from "./run/state.ts"
import { decodeWire, glance } from "./wire.ts"

/** Live sessions of Pi (1.6.0): `pi --mode rpc`, JSON lines both ways. */
const live: Live = {
  supports: inSessions("pi"),
  plan: livePlan,
  dialogue: (params) => makeDialogue(params),
  hostTools: "server",
  hostToolPrefixes: [],
  leavesAtEndOfInput: true
}

export const pi = Cli.make({
  id: "pi",
  command: "pi",
  ...versions.pi,
  install: "npm install -g @earendil-works/pi-coding-agent",
  signIn: "run `pi` once and follow /login, or set the key of a provider such as ANTHROPIC_API_KEY",
  resumeCommands: ["pi --session"],
  stopSignal: "SIGTERM",
  // A silent server is given up by the client of its provider, after ten minutes by most; each repeats twice.
  idle: "35 minutes",
  sessionMarkers: ["PI_CODING_AGENT"],
  apiKeys: [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "DEEPSEEK_API_KEY",
    "GROQ_API_KEY",
    "CEREBRAS_API_KEY",
    "XAI_API_KEY",
    "FIREWORKS_API_KEY",
    "OPENROUTER_API_KEY",
    "AI_GATEWAY_API_KEY",
    "ZAI_API_KEY",
    "MISTRAL_API_KEY",
    "MINIMAX_API_KEY",
    "MOONSHOT_API_KEY",
    "OPENCODE_API_KEY",
    "KIMI_API_KEY",
    "CLOUDFLARE_API_KEY",
    "ANT_LING_API_KEY",
    "BASETEN_API_KEY",
    "GOOGLE_CLOUD_API_KEY",
    "META_API_KEY",
    "MINIMAX_CN_API_KEY",
    "NVIDIA_API_KEY",
    "QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY",
    "QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY",
    "QWEN_TOKEN_PLAN_TEAM_API_KEY",
    "QWEN_TOKEN_PLAN_TEAM_CN_API_KEY",
    "RADIUS_API_KEY",
    "TOGETHER_API_KEY",
    "TYPESAFE_API_KEY",
    "XIAOMI_API_KEY",
    "XIAOMI_TOKEN_PLAN_AMS_API_KEY",
    "XIAOMI_TOKEN_PLAN_CN_API_KEY",
    "XIAOMI_TOKEN_PLAN_SGP_API_KEY",
    "ZAI_CODING_CN_API_KEY"
  ],
  variables: ["PI_*", "ANTHROPIC_OAUTH_TOKEN"],
  supports: inRuns("pi"),
  attachments: new Set(["image", "text"]),
  plan,
  wire: decodeWire,
  glance,
  start,
  step,
  standing: standingOf,
  report: (state) => state.report,
  verdict: verdictOf,
  live,
  models,
  resumesElsewhere: false,
  stored: () => import("./stored.ts").then(({ stored }) => stored)
})
