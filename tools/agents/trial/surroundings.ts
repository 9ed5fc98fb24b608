/** How each agent that can be tried is led to a scripted model: its variables, the files of its home, its tool for commands. */
import type { AcpAgentId } from "../../../src/contract/CliSupport.ts"
import type { Folders } from "../../../src/testing/sandbox/sandbox.ts"
import { madeUpKey, surroundingsOf } from "../../../src/testing/sandbox/surroundings.ts"
import { type Block, tool } from "../../../src/testing/servers/Answer.ts"

/** The protocol of a scripted model. */
export type ModelProtocol = "messages" | "responses" | "chatCompletions"

export interface Lead {
  readonly protocol: ModelProtocol
  readonly env: (url: string) => Readonly<Record<string, string>>
  /** Contents by path, from the home directory on. */
  readonly files?: (url: string) => Readonly<Record<string, string>>
  /** Arguments of the agent's program for a sign-in that has to be done once before. */
  readonly signIn?: (url: string) => ReadonlyArray<string>
  /** A call that runs a command. */
  readonly command: (text: string) => Block
}

const bash = (command: string) => tool("bash", { command, description: "as asked" })

const byCli = (cli: "claude" | "codex" | "pi") => {
  const none = { home: "", tmp: "" } satisfies Pick<Folders, "home" | "tmp">
  return {
    env: (url: string) => {
      const { HOME: _home, TMPDIR: _tmp, PATH: _path, ...env } = surroundingsOf(cli, { ...none, url }).env
      return env
    },
    files: (url: string) => surroundingsOf(cli, { ...none, url }).files
  }
}

/** Seen with the versions that the table of `src/cli/acp/agents.ts` has as tried. */
export const leads: Readonly<Partial<Record<AcpAgentId, Lead>>> = {
  copilot: {
    protocol: "chatCompletions",
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: madeUpKey,
      COPILOT_MODEL: "m1",
      COPILOT_OFFLINE: "true"
    }),
    command: bash
  },
  qwen: {
    protocol: "chatCompletions",
    env: (url) => ({ OPENAI_API_KEY: madeUpKey, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "m1" }),
    files: () => ({
      ".qwen/settings.json": JSON.stringify({
        security: { auth: { selectedType: "openai" } },
        privacy: { usageStatisticsEnabled: false }
      })
    }),
    command: (text) => tool("run_shell_command", { command: text, description: "as asked", is_background: false })
  },
  "claude-agent-acp": {
    protocol: "messages",
    ...byCli("claude"),
    command: (text) => tool("Bash", { command: text, description: "as asked" })
  },
  "codex-acp": {
    protocol: "responses",
    ...byCli("codex"),
    command: (text) => tool("exec_command", { cmd: text })
  },
  "pi-acp": { protocol: "messages", ...byCli("pi"), command: (text) => tool("bash", { command: text }) },
  kilo: {
    protocol: "chatCompletions",
    env: (url) => ({
      KILO_CONFIG_CONTENT: surroundingsOf("opencode", { home: "", tmp: "", url }).env["OPENCODE_CONFIG_CONTENT"] ?? "",
      KILO_DISABLE_AUTOUPDATE: "1",
      KILO_DISABLE_MODELS_FETCH: "1",
      KILO_TELEMETRY_LEVEL: "off"
    }),
    command: bash
  },
  cline: {
    protocol: "chatCompletions",
    env: () => ({
      CLINE_API_KEY: madeUpKey,
      CLINE_PROVIDER: "openai-compatible",
      CLINE_MODEL: "m1",
      CLINE_NO_AUTO_UPDATE: "1"
    }),
    signIn: (url) => ["auth", "-p", "openai", "-k", madeUpKey, "-m", "m1", "-b", `${url}/v1`],
    command: (text) => tool("run_commands", { commands: [text] })
  },
  grok: {
    protocol: "chatCompletions",
    env: () => ({ XAI_API_KEY: madeUpKey }),
    files: (url) => ({
      ".grok/config.toml": [
        "[models]",
        'default = "m1"',
        "[model.m1]",
        'model = "m1"',
        `base_url = "${url}/v1"`,
        `api_key = "${madeUpKey}"`,
        "context_window = 128000",
        ""
      ].join("\n")
    }),
    command: (text) => tool("run_terminal_command", { command: text, description: "as asked" })
  },
  droid: {
    protocol: "chatCompletions",
    env: () => ({ FACTORY_API_KEY: madeUpKey, FACTORY_AIRGAP_ENABLED: "true" }),
    files: (url) => ({
      ".factory/config.json": JSON.stringify({
        custom_models: [
          {
            model: "m1",
            model_display_name: "m1",
            base_url: `${url}/v1`,
            api_key: madeUpKey,
            provider: "generic-chat-completion-api",
            max_tokens: 8_000
          }
        ]
      })
    }),
    command: (text) =>
      tool("Execute", {
        command: text,
        summary: "as asked",
        riskLevelReason: "as asked",
        riskLevel: "medium",
        timeout: 60
      })
  }
}
