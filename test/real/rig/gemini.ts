/** An agent that drives the real Gemini CLI against a scripted server, in a sandbox of its own. */
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type GeminiScript, startGeminiApi } from "../../../fixtures/servers/geminiApi.ts"
import type { AgentOptions } from "../../../src/AgentOptions.ts"
import { gemini } from "../../../src/cli/gemini/index.ts"
import { makeSandbox, type Sandbox } from "./claude.ts"
import { cleanEnvironment, madeUpKey } from "./environment.ts"
import { commandFor, openLayer } from "./layered.ts"

const command = commandFor("gemini")

/** Without a way to sign in, a base URL makes the CLI guess another one. One try, since a pause takes seconds. */
const userSettings = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, maxAttempts: 1 }
}

interface OpenOptions {
  readonly agent?: AgentOptions
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Files to be written before the run, by their paths: `home/…` and `work/…`. Objects become JSON. */
  readonly files?: Readonly<Record<string, string | object>>
}

const write = async (sandbox: Sandbox, path: string, content: string | object) => {
  const file = join(dirname(sandbox.home), path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content))
}

export const openGemini = async (script: GeminiScript, { agent = {}, env = {}, files = {} }: OpenOptions = {}) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await startGeminiApi(script))
  const sandbox = stack.use(await makeSandbox())
  for (const [path, content] of Object.entries({ "home/.gemini/settings.json": userSettings, ...files })) {
    await write(sandbox, path, content)
  }
  const values = {
    ...cleanEnvironment({ home: sandbox.home, tmp: sandbox.tmp, commands: [command] }),
    GEMINI_API_KEY: madeUpKey,
    GOOGLE_GEMINI_BASE_URL: api.url,
    ...env
  }
  const defaults = { model: "gemini-2.5-flash", workingDirectory: sandbox.work }
  const { execute, collect } = stack.use(openLayer(gemini, { command, env: { values }, ...agent }, defaults))
  return { api, sandbox, values, execute, collect, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
