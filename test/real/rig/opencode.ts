/**
 * An agent that drives the real OpenCode against a scripted server. One home serves a whole file: the first run in a
 * fresh one takes longer, and several first runs at once can lock each other out.
 */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { opencode } from "../../../src/cli/opencode/index.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { type ChatScript, chatCompletions } from "../../../src/testing/ModelServer.ts"
import { type Folders, makeFolders } from "../../../src/testing/sandbox/sandbox.ts"
import { surroundingsOf } from "../../../src/testing/sandbox/surroundings.ts"
import { only, pathOf } from "./environment.ts"
import { commandFor, openLayer } from "./layered.ts"

interface OpencodeOptions {
  readonly agent?: AgentOptions
  /** Beside what leads to the scripted server. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Files of the working directory. */
  readonly files?: Readonly<Record<string, string>>
}

export const openOpencode = async (sandbox: Folders, script: ChatScript, options: OpencodeOptions = {}) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await chatCompletions(script))
  const work = await mkdtemp(join(sandbox.work, "run-"))
  for (const [name, content] of Object.entries(options.files ?? {})) {
    await mkdir(dirname(join(work, name)), { recursive: true })
    await writeFile(join(work, name), content)
  }
  const command = commandFor("opencode")
  const { env } = surroundingsOf("opencode", { ...sandbox, url: api.url, path: pathOf([command]) })
  const config = { ...JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? ""), ...options.config }
  const values = { ...env, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) }
  const agentOptions = { command, env: only(values), ...options.agent }
  const { execute, collect } = stack.use(openLayer(opencode, agentOptions, { workingDirectory: work }))
  return { api, work, values, execute, collect, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** A home for the tests of one file, made before the first and gone after the last, and agents in it. */
export const openHome = () => {
  let sandbox: Folders
  beforeAll(async () => {
    sandbox = await makeFolders()
  })
  afterAll(() => sandbox[Symbol.asyncDispose]())
  return {
    open: (script: ChatScript, options?: OpencodeOptions) => openOpencode(sandbox, script, options),
    home: () => sandbox.home
  }
}
