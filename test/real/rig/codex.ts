/**
 * An agent that drives the real Codex against a scripted Responses API, in a sandbox of its own. Codex learns of the
 * server by the configuration in its home, as of any other provider, and prints the same there as with its own.
 */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { tool } from "../../../fixtures/servers/messagesAnswer.ts"
import { type ResponsesScript, startResponsesApi } from "../../../fixtures/servers/responsesApi.ts"
import type { AgentOptions } from "../../../src/AgentOptions.ts"
import type { Cli } from "../../../src/cli/Cli.ts"
import { makeCodex } from "../../../src/cli/codex/index.ts"
import { makeSandbox, type Sandbox } from "./claude.ts"
import { cleanEnvironment, madeUpKey } from "./environment.ts"
import { commandFor, openLayer } from "./layered.ts"

/** The `codex` command as npm installs it: a script that finds the program. */
export const codexCommand = commandFor("codex")

/** A command. Codex shows a sandboxed one that fails at once with words of denial not at all, so it takes a moment. */
export const shell = (cmd: string, id?: string, more = {}) =>
  tool("exec_command", { cmd: `sleep 0.3; ${cmd}`, ...more }, id)

export interface OpenOptions {
  readonly cli?: Cli
  readonly agent?: AgentOptions
  readonly sandbox?: Sandbox
  /** Of failed requests and broken streams. */
  readonly retries?: number
}

const configure = async (sandbox: Sandbox, url: string, retries: number) => {
  const folder = join(sandbox.home, ".codex")
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
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, "config.toml"), `${lines.join("\n")}\n`)
}

export const openCodex = async (script: ResponsesScript, options: OpenOptions = {}) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await startResponsesApi(script))
  const sandbox = options.sandbox ?? stack.use(await makeSandbox())
  await configure(sandbox, api.url, options.retries ?? 0)
  const clean = cleanEnvironment({ home: sandbox.home, tmp: sandbox.tmp, commands: [codexCommand] })
  const values = { ...clean, CODEX_API_KEY: madeUpKey }
  const agentOptions = { command: codexCommand, env: { values }, ...options.agent }
  const cli = options.cli ?? makeCodex()
  const { execute, collect } = stack.use(openLayer(cli, agentOptions, { workingDirectory: sandbox.work }))
  return { api, sandbox, values, execute, collect, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
