/** Leads a real CLI to a scripted server: an environment made from nothing, and the files for its home. Pure. */

/** The environment and files of one CLI. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string>>
  /** Contents by path, from the home directory on. */
  readonly files: Readonly<Record<string, string>>
}

/** Facts by which a CLI is led to a scripted server. */
interface Lead extends Required<Pick<SurroundingsOptions, "url" | "retries">> {
  readonly key: string
}

/**
 * OpenCode (1.18.33) learns of the server by configuration in a variable. Switched off: every request but those to the
 * model. The first run in a fresh home takes some seconds longer, and several first runs at once lock each other out.
 */
const opencodeSurroundings = ({ url, key }: Lead): Surroundings => {
  const modalities = { input: ["text", "image", "pdf"], output: ["text"] }
  const model = {
    reasoning: true,
    modalities,
    limit: { context: 128_000, output: 8_000 },
    cost: { input: 1, output: 2 }
  }
  const options = { baseURL: `${url}/v1`, apiKey: key }
  const config = {
    provider: { fake: { npm: "@ai-sdk/openai-compatible", options, models: { m1: model } } },
    model: "fake/m1",
    small_model: "fake/m1",
    share: "disabled",
    autoupdate: false
  }
  return {
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1"
    },
    files: {}
  }
}

/** Codex (0.169.0) gets the server by the configuration in its home, and prints the same as with its own. */
const codexSurroundings = ({ url, retries, key }: Lead): Surroundings => {
  const lines = [
    'model = "gpt-5.5"',
    'model_provider = "scripted"',
    "[model_providers.scripted]",
    'name = "scripted"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'env_key = "CODEX_API_KEY"',
    "request_max_retries = 0",
    `stream_max_retries = ${retries}`
  ]
  return { env: { CODEX_API_KEY: key }, files: { ".codex/config.toml": `${lines.join("\n")}\n` } }
}

/**
 * Gemini CLI (0.61.0) learns of the server by a variable, and of the rest by its settings: without a way to sign in, a
 * base URL makes it guess another one; without a model, it asks one which to take.
 */
const geminiSurroundings = ({ url, retries, key }: Lead): Surroundings => {
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false, maxAttempts: retries + 1 },
    model: { name: "gemini-2.5-flash" }
  }
  return {
    env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url },
    files: { ".gemini/settings.json": JSON.stringify(settings) }
  }
}

/** Claude Code (2.1.328) learns of the server by variables. Switched off: telemetry, updates, all but the model. */
const claudeSurroundings = ({ url, retries, key }: Lead): Surroundings => ({
  env: {
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: String(retries),
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1"
  },
  files: {}
})

/**
 * Pi (1.6.0) learns of the server by its models, and of the rest by its settings: without a default model it takes the first
 * that it has a key for. Both layers that repeat a request are told how often: its own one counts, the other is off.
 */
const piSurroundings = ({ url, retries, key }: Lead): Surroundings => {
  const settings = {
    defaultProvider: "anthropic",
    defaultModel: "claude-sonnet-4-5",
    enableInstallTelemetry: false,
    retry: { enabled: retries > 0, maxRetries: retries, baseDelayMs: 1_000, provider: { maxRetries: 0 } }
  }
  return {
    env: { ANTHROPIC_API_KEY: key, PI_OFFLINE: "1" },
    files: {
      ".pi/agent/models.json": JSON.stringify({ providers: { anthropic: { baseUrl: url } } }),
      ".pi/agent/settings.json": JSON.stringify(settings)
    }
  }
}

/** Not a key: a scripted server takes any. */
export const madeUpKey = "made-up-key"

const byCli = {
  claude: claudeSurroundings,
  gemini: geminiSurroundings,
  codex: codexSurroundings,
  opencode: opencodeSurroundings,
  pi: piSurroundings
} as const satisfies Readonly<Record<string, (lead: Lead) => Surroundings>>

/** Where the server is, and the folders of one CLI. */
export interface SurroundingsOptions {
  /** URL of the scripted server, without a path. */
  readonly url: string
  /** The home directory, fresh and empty. */
  readonly home: string
  /** For temporary files, fresh and empty. */
  readonly tmp: string
  /** Where the CLI and what it starts are found. Default: this process's own. */
  readonly path?: string
  /** How often the CLI repeats a request that failed, with pauses of seconds. Default: 0. OpenCode cannot be told. */
  readonly retries?: number
}

/** The variables that every program needs. */
export const cleanEnvironment = (folders: Pick<SurroundingsOptions, "home" | "tmp" | "path">) => ({
  HOME: folders.home,
  LANG: "C.UTF-8",
  PATH: folders.path ?? process.env["PATH"] ?? "",
  TERM: "xterm-256color",
  TMPDIR: folders.tmp
})

/** Variables and files for one CLI: `env` is its whole environment; write `files` into its home. */
export const surroundingsOf = (
  cli: keyof typeof byCli,
  { url, retries = 0, ...folders }: SurroundingsOptions
): Surroundings => {
  const { env, files } = byCli[cli]({ url, retries, key: madeUpKey })
  return { env: { ...cleanEnvironment(folders), ...env }, files }
}
