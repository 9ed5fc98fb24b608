/**
 * Agents of the Agent Client Protocol by name: data only. Reins starts the program if it is installed, and never installs
 * or downloads it.
 *
 * Commands and packages are those of the protocol's public registry, `ID/agent.json` of
 * github.com/agentclientprotocol/registry, each in the newest version found: 2326ab36 has Cursor 2026.10.01;
 * `tools/agents/registry.ts` shows how rows differ from a copy of it, and `tools/agents/trial/main.ts` tries an agent. How to
 * install and sign in, and the names of variables, are from the agents' own documentation. `usage` is measured. A fact that
 * is not known is absent.
 */
import type { AcpUsage } from "../../contract/AgentOptions.ts"
import type { AcpAgentId } from "../../contract/CliSupport.ts"
import type { AcpModes } from "./index.ts"

/** An id that is an address on the protocol's own page about modes. */
const protocolMode = (name: string) => `https://agentclientprotocol.com/protocol/session-modes#${name}`

export interface AcpAgentRow {
  /** For people. */
  readonly name: string
  /** The program's name on PATH. */
  readonly command: string
  /** Arguments that make it speak the protocol. */
  readonly args: ReadonlyArray<string>
  /** A command that installs it, or the page that says how. */
  readonly install: string
  /** How to sign in; a part of a sentence. */
  readonly signIn: string
  /** Variables with API keys, the usual one first. */
  readonly apiKeys?: ReadonlyArray<string>
  /** Absent: not measured. */
  readonly usage?: AcpUsage
  /** Its modes, as `session/new` of the tried version lists them, by what they promise. Absent: not measured. */
  readonly modes?: AcpModes
  /** The version that was tried: a text, a tool, an interrupt and what follows, against a scripted model. Absent: none. */
  readonly tried?: string
  /** Its id in the registry, if that is another one. */
  readonly registryId?: string
}

export const acpAgents: Readonly<Record<AcpAgentId, AcpAgentRow>> = Object.freeze({
  copilot: {
    name: "GitHub Copilot CLI",
    command: "copilot",
    args: ["--acp"],
    install: "npm install -g @github/copilot",
    signIn: "run `copilot` once and follow /login",
    apiKeys: ["COPILOT_PROVIDER_API_KEY"],
    usage: "session",
    // Its third mode, "autopilot", goes on by itself until the task is done.
    modes: {
      default: protocolMode("agent"),
      plan: protocolMode("plan"),
      "accept-edits": protocolMode("agent"),
      bypass: protocolMode("agent")
    },
    tried: "1.0.102",
    registryId: "github-copilot-cli"
  },
  // The registry adds `--experimental-skills`.
  qwen: {
    name: "Qwen Code",
    command: "qwen",
    args: ["--acp"],
    install: "npm install -g @qwen-code/qwen-code",
    signIn: "run `qwen` once and follow /auth, or set OPENAI_API_KEY",
    apiKeys: ["OPENAI_API_KEY"],
    // It begins in "auto", in which a model decides what is asked for.
    modes: { default: "default", plan: "plan", "accept-edits": "auto-edit", bypass: "yolo" },
    tried: "0.24.4",
    registryId: "qwen-code"
  },
  cursor: {
    name: "Cursor CLI",
    command: "cursor-agent",
    args: ["acp"],
    install: "curl https://cursor.com/install -fsS | bash",
    signIn: "run `cursor-agent login`, or set CURSOR_API_KEY",
    apiKeys: ["CURSOR_API_KEY"]
  },
  cline: {
    name: "Cline",
    command: "cline",
    args: ["--acp"],
    install: "npm install -g cline",
    signIn: "run `cline auth`, or set CLINE_API_KEY",
    apiKeys: ["CLINE_API_KEY"],
    modes: { default: "act", plan: "plan", "accept-edits": "act", bypass: "act" },
    tried: "3.0.65"
  },
  kilo: {
    name: "Kilo Code",
    command: "kilo",
    args: ["acp"],
    install: "npm install -g @kilocode/cli",
    signIn: "run `kilo` once and follow /connect",
    usage: "answer",
    // A command that it thinks harmless, as `touch`, it does without a request.
    modes: { default: "code", plan: "plan", "accept-edits": "code", bypass: "code" },
    tried: "7.7.9"
  },
  // The adapter, which brings Amp.
  amp: {
    name: "Amp, by amp-acp",
    command: "amp-acp",
    args: [],
    install: "npm install -g amp-acp",
    signIn: "run `amp-acp --setup`, or set AMP_API_KEY",
    apiKeys: ["AMP_API_KEY"],
    registryId: "amp-acp"
  },
  auggie: {
    name: "Auggie",
    command: "auggie",
    args: ["--acp"],
    install: "npm install -g @augmentcode/auggie",
    signIn: "run `auggie login`"
  },
  droid: {
    name: "Factory Droid",
    command: "droid",
    args: ["exec", "--output-format", "acp-daemon"],
    install: "npm install -g droid",
    signIn: "run `droid` once and follow it, or set FACTORY_API_KEY",
    apiKeys: ["FACTORY_API_KEY"],
    registryId: "factory-droid",
    // "auto-low" does more without a request than edits.
    modes: { default: "normal", plan: "spec", "accept-edits": "normal", bypass: "normal" },
    tried: "0.215.0"
  },
  goose: {
    name: "goose",
    command: "goose",
    args: ["acp"],
    install: "see https://block.github.io/goose/",
    signIn: "run `goose configure`"
  },
  grok: {
    name: "Grok Build",
    command: "grok",
    args: ["agent", "stdio"],
    install: "npm install -g @xai-official/grok",
    signIn: "run `grok login`, or set XAI_API_KEY",
    apiKeys: ["XAI_API_KEY"],
    registryId: "grok-build",
    tried: "1.0.41"
  },
  kimi: {
    name: "Kimi Code CLI",
    command: "kimi",
    args: ["acp"],
    install: "uv tool install --python 3.13 kimi-cli",
    signIn: "run `kimi` once and follow /login"
  },
  // The registry has the argument in `cmd`.
  kiro: {
    name: "Kiro CLI",
    command: "kiro-cli",
    args: ["acp"],
    install: "see https://kiro.dev/docs/cli",
    signIn: "see https://kiro.dev/docs/cli"
  },
  junie: {
    name: "Junie",
    command: "junie",
    args: ["--acp=true"],
    install: "see https://junie.jetbrains.com",
    signIn: "see https://junie.jetbrains.com"
  },
  "mistral-vibe": {
    name: "Mistral Vibe",
    command: "vibe-acp",
    args: [],
    install: "uv tool install mistral-vibe",
    signIn: "run `vibe` once and follow it, or set MISTRAL_API_KEY",
    apiKeys: ["MISTRAL_API_KEY"]
  },
  qoder: {
    name: "Qoder CLI",
    command: "qodercli",
    args: ["--acp"],
    install: "npm install -g @qoder-ai/qodercli",
    signIn: "run `qodercli` once and follow /login, or set QODER_PERSONAL_ACCESS_TOKEN"
  },
  codebuddy: {
    name: "CodeBuddy Code",
    command: "codebuddy",
    args: ["--acp"],
    install: "npm install -g @tencent-ai/codebuddy-code",
    signIn: "run `codebuddy` once and follow it, or set CODEBUDDY_API_KEY",
    apiKeys: ["CODEBUDDY_API_KEY"],
    registryId: "codebuddy-code"
  },
  devin: {
    name: "Devin CLI",
    command: "devin",
    args: ["acp"],
    install: "curl -fsSL https://cli.devin.ai/install.sh | bash",
    signIn: "run `devin auth login`"
  },
  cortex: {
    name: "Cortex Code",
    command: "cortex",
    args: ["acp", "serve"],
    install: "curl -LsS https://ai.snowflake.com/static/cc-scripts/install.sh | sh",
    signIn: "run `cortex` once and follow it",
    registryId: "cortex-code"
  },
  "fast-agent": {
    name: "fast-agent",
    command: "fast-agent-acp",
    args: ["-x"],
    install: "uv tool install fast-agent-acp",
    signIn: "see https://fast-agent.ai"
  },
  stakpak: {
    name: "Stakpak",
    command: "stakpak",
    args: ["acp"],
    install: "curl -sSL https://stakpak.dev/install.sh | sh",
    signIn: "see https://stakpak.gitbook.io/docs, or set STAKPAK_API_KEY",
    apiKeys: ["STAKPAK_API_KEY"]
  },
  // The adapter starts `pi`, which has to be installed, too.
  "pi-acp": {
    name: "pi, by pi-acp",
    command: "pi-acp",
    args: [],
    install: "npm install -g pi-acp",
    signIn: "run `pi` once and sign in there",
    // It names the levels of effort as modes, and never asks.
    modes: {},
    tried: "0.0.34"
  },
  "claude-agent-acp": {
    name: "Claude Code, by claude-agent-acp",
    command: "claude-agent-acp",
    args: [],
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    signIn: "run `claude` once and follow /login, or set ANTHROPIC_API_KEY",
    apiKeys: ["ANTHROPIC_API_KEY"],
    usage: "turn",
    // It begins in the mode of the user's settings; "auto" lets a model decide what is asked for.
    modes: { default: "default", plan: "plan", "accept-edits": "acceptEdits", bypass: "default" },
    tried: "0.101.0",
    registryId: "claude-acp"
  },
  "codex-acp": {
    name: "Codex, by codex-acp",
    command: "codex-acp",
    args: [],
    install: "npm install -g @agentclientprotocol/codex-acp",
    signIn: "run `codex login`, or set CODEX_API_KEY or OPENAI_API_KEY",
    apiKeys: ["CODEX_API_KEY", "OPENAI_API_KEY"],
    usage: "turn",
    // "read-only" asks before it writes, which a plan must not do; it begins in "agent", in which a model decides.
    modes: { default: "read-only", "accept-edits": "workspace-write", bypass: "agent-full-access" },
    tried: "2.6.0"
  }
})
