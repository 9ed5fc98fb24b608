/** An agent that drives the real Codex against a scripted Responses API, in a sandbox of its own. */

import type { Cli } from "../../../src/cli/Cli.ts"
import { codex } from "../../../src/cli/codex/index.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { type ResponsesScript, responses } from "../../../src/testing/ModelServer.ts"
import { type Folders, makeFolders, writeSurroundings } from "../../../src/testing/sandbox/sandbox.ts"
import { tool } from "../../../src/testing/servers/Answer.ts"
import { only, pathOf } from "./environment.ts"
import { commandFor, openLayer } from "./layered.ts"

/** The `codex` command as npm installs it: a script that finds the program. */
export const codexCommand = commandFor("codex")

/** A command. Codex shows a sandboxed one that fails at once with words of denial not at all, so it takes a moment. */
export const shell = (cmd: string, id?: string, more = {}) =>
  tool("exec_command", { cmd: `sleep 0.3; ${cmd}`, ...more }, id)

export interface OpenOptions {
  readonly cli?: Cli
  readonly agent?: AgentOptions
  readonly sandbox?: Folders
  readonly retries?: number
}

export const openCodex = async (script: ResponsesScript, options: OpenOptions = {}) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await responses(script))
  const sandbox = options.sandbox ?? stack.use(await makeFolders())
  const { retries = 0 } = options
  const values = await writeSurroundings("codex", { ...sandbox, url: api.url, path: pathOf([codexCommand]), retries })
  const agentOptions = { command: codexCommand, env: only(values), ...options.agent }
  const cli = options.cli ?? codex
  const { execute, collect } = stack.use(openLayer(cli, agentOptions, { workingDirectory: sandbox.work }))
  return { api, sandbox, values, execute, collect, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
