/**
 * An agent that drives the real Pi against a scripted server of the Messages API, in a sandbox of its own: an environment from
 * nothing, and a fresh home whose settings lead to the server.
 */
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { pi } from "../../../src/cli/pi/index.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { createAgent, type PlainOpenParams } from "../../../src/promise.ts"
import { type MessagesScript, messages } from "../../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../../src/testing/sandbox/sandbox.ts"
import { only, pathOf } from "./environment.ts"
import { commandFor, openLayer } from "./layered.ts"

export const piCommand = commandFor("pi")

interface PiOptions {
  readonly agent?: AgentOptions
  readonly env?: Readonly<Record<string, string>>
  /** Attempts after one that failed. Default: 0. */
  readonly retries?: number
  /** Files of the home. */
  readonly home?: Readonly<Record<string, string>>
  /** Files of the working directory. */
  readonly files?: Readonly<Record<string, string>>
}

const settingsFile = ".pi/agent/settings.json"

const writeAll = async (folder: string, files: Readonly<Record<string, string>> = {}) => {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
}

/** The pauses before a request is repeated are short. */
const hurry = async (home: string) => {
  const settings = JSON.parse(await readFile(join(home, settingsFile), "utf8"))
  const retry = { ...settings.retry, baseDelayMs: 10 }
  await writeAll(home, { [settingsFile]: JSON.stringify({ ...settings, retry }) })
}

const openWorld = async (script: MessagesScript, options: PiOptions) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await messages(script))
  const retries = options.retries ?? 0
  const sandbox = stack.use(await makeSandbox("pi", api, { path: pathOf([piCommand]), retries }))
  await hurry(sandbox.home)
  await writeAll(sandbox.home, options.home)
  const work = await mkdtemp(join(sandbox.work, "run-"))
  await writeAll(work, options.files)
  return { stack, api, sandbox, work, values: { ...sandbox.values, ...options.env } }
}

export const openPi = async (script: MessagesScript, options: PiOptions = {}) => {
  const { stack, api, sandbox, work, values } = await openWorld(script, options)
  const agentOptions = { command: piCommand, env: only(values), ...options.agent }
  const { execute, collect } = stack.use(openLayer(pi, agentOptions, { workingDirectory: work }))
  return { api, work, home: sandbox.home, values, execute, collect, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** A live session of it, by the plain door. */
export const openPiSession = async (script: MessagesScript, params: PlainOpenParams = {}, options: PiOptions = {}) => {
  const { stack, api, sandbox, work, values } = await openWorld(script, options)
  try {
    const agent = stack.use(createAgent("pi", { command: piCommand, env: only(values), ...options.agent }))
    const open = (more: PlainOpenParams = {}) => agent.open({ workingDirectory: work, ...params, ...more })
    const session = stack.use(await open())
    return { api, work, home: sandbox.home, open, session, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
