/** An agent that drives the real Gemini CLI against a scripted server, in a sandbox of its own. */
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { gemini } from "../../../src/cli/gemini/index.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { type GeminiScript, gemini as startServer } from "../../../src/testing/ModelServer.ts"
import { makeSandbox, type Sandbox } from "../../../src/testing/sandbox/sandbox.ts"
import { only, pathOf } from "./environment.ts"
import { commandFor, openLayer } from "./layered.ts"

const command = commandFor("gemini")

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
  const api = stack.use(await startServer(script))
  const sandbox = stack.use(await makeSandbox("gemini", api, { path: pathOf([command]) }))
  for (const [path, content] of Object.entries(files)) await write(sandbox, path, content)
  const values = { ...sandbox.values, ...env }
  const defaults = { workingDirectory: sandbox.work }
  const { execute, collect } = stack.use(openLayer(gemini, { command, env: only(values), ...agent }, defaults))
  return { api, sandbox, values, execute, collect, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
