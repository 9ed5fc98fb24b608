/**
 * An agent that drives the real Codex against a scripted Responses API, in a sandbox of its own. Codex learns of the
 * server by the configuration in its home, as of any other provider, and prints the same there as with its own.
 */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Effect, Layer, ManagedRuntime, Stream } from "effect"
import { tool } from "../../../fixtures/servers/messagesAnswer.ts"
import { type Script, startResponsesApi } from "../../../fixtures/servers/responsesApi.ts"
import type { AgentExecuteParams } from "../../../src/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/AgentOptions.ts"
import { AgentRuntime } from "../../../src/AgentRuntime.ts"
import type { Cli } from "../../../src/cli/Cli.ts"
import { makeCodex } from "../../../src/cli/codex/index.ts"
import { summarize } from "./agent.ts"
import { makeSandbox, type Sandbox } from "./claude.ts"
import { cleanEnvironment, madeUpKey } from "./environment.ts"
import { commandOf, pinnedClis } from "./install.ts"

/** The `codex` command as npm installs it: a script that finds the program. */
export const codexCommand = pinnedClis
  .filter((cli) => cli.name === "codex")
  .map(commandOf)
  .join()

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

type Params = Partial<AgentExecuteParams>

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

export const openCodex = async (script: Script, options: OpenOptions = {}) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await startResponsesApi(script))
  const sandbox = options.sandbox ?? stack.use(await makeSandbox())
  await configure(sandbox, api.url, options.retries ?? 0)
  const clean = cleanEnvironment({ home: sandbox.home, tmp: sandbox.tmp, commands: pinnedClis.map(commandOf) })
  const values = { ...clean, CODEX_API_KEY: madeUpKey }
  const layer = AgentRuntime.layer(options.cli ?? makeCodex(), {
    command: codexCommand,
    env: { values },
    ...options.agent
  }).pipe(Layer.provide(NodeServices.layer))
  const runtime = ManagedRuntime.make(layer)
  stack.defer(() => Effect.runPromise(runtime.disposeEffect))
  const withDefaults = (params: Params): AgentExecuteParams => ({
    prompt: "go on",
    workingDirectory: sandbox.work,
    ...params
  })
  const execute = (params: Params = {}) =>
    runtime.contextEffect.pipe(
      Effect.map((context) => Context.get(context, AgentRuntime).execute(withDefaults(params))),
      Stream.unwrap,
      Stream.toAsyncIterable
    )
  return {
    api,
    sandbox,
    execute,
    collect: async (params: Params = {}) => summarize(await Array.fromAsync(execute(params))),
    [Symbol.asyncDispose]: () => stack.disposeAsync()
  }
}
