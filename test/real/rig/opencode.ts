/**
 * An agent that drives the real OpenCode against a scripted server. One home serves a whole file: the first run in a
 * fresh one takes longer, and several first runs at once can lock each other out.
 */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { type ChatScript, startChatCompletionsApi } from "../../../fixtures/servers/chatCompletionsApi.ts"
import type { AgentOptions } from "../../../src/AgentOptions.ts"
import { opencode } from "../../../src/cli/opencode/index.ts"
import { makeSandbox, type Sandbox } from "./claude.ts"
import { cleanEnvironment, madeUpKey } from "./environment.ts"
import { commandFor, openLayer } from "./layered.ts"

/** OpenCode's switches against every request but those to the model. */
const offSwitches: Readonly<Record<string, string>> = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1"
}

const configFor = (baseURL: string) => ({
  provider: {
    fake: {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL, apiKey: madeUpKey },
      models: { m1: { reasoning: true, limit: { context: 128_000, output: 8_000 }, cost: { input: 1, output: 2 } } }
    }
  },
  model: "fake/m1",
  small_model: "fake/m1",
  share: "disabled",
  autoupdate: false
})

interface OpencodeOptions {
  readonly agent?: AgentOptions
  /** Beside what leads to the scripted server. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Files of the working directory. */
  readonly files?: Readonly<Record<string, string>>
}

export const openOpencode = async (sandbox: Sandbox, script: ChatScript, options: OpencodeOptions = {}) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await startChatCompletionsApi(script))
  const work = await mkdtemp(join(sandbox.work, "run-"))
  for (const [name, content] of Object.entries(options.files ?? {})) {
    await mkdir(dirname(join(work, name)), { recursive: true })
    await writeFile(join(work, name), content)
  }
  const command = commandFor("opencode")
  const values = {
    ...cleanEnvironment({ home: sandbox.home, tmp: sandbox.tmp, commands: [command] }),
    ...offSwitches,
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...configFor(`${api.url}/v1`), ...options.config })
  }
  const agentOptions = { command, env: { values }, ...options.agent }
  const { execute, collect } = stack.use(openLayer(opencode, agentOptions, { workingDirectory: work }))
  return { api, work, values, execute, collect, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** A home for the tests of one file, made before the first and gone after the last, and agents in it. */
export const openHome = () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await makeSandbox()
  })
  afterAll(() => sandbox[Symbol.asyncDispose]())
  return {
    open: (script: ChatScript, options?: OpencodeOptions) => openOpencode(sandbox, script, options),
    home: () => sandbox.home
  }
}
