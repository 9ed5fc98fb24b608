// Runs inside the namespace: plays the scenarios of one CLI and asks it for its flags. Arguments: the CLI, the file for
// what was heard, the folder for the lines themselves.
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Layer } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { makePlainAgent } from "../../src/api/promise/plainAgent.ts"
import { type CliId, clis } from "../../src/cli/clis.ts"
import { Approvals } from "../../src/promise.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { forCli } from "../../src/testing/ModelServer.ts"
import { type Folders, makeFolders, writeSurroundings } from "../../src/testing/sandbox/sandbox.ts"
import { only, pathOf } from "../../test/real/rig/environment.ts"
import { commandFor } from "../../test/real/rig/layered.ts"
import { enterLoopback } from "../../test/real/rig/namespace.ts"
import { commandWordsOf } from "./commandWords.ts"
import type { Recorded } from "./recordings.ts"
import { type Scenario, scenariosOf } from "./scenarios.ts"
import { type HeardLine, spyOn } from "./spy.ts"

/** Nothing of a scenario takes so long, also on a busy machine. */
const limitMs = 120_000

const withinLimit = <A>(work: Promise<A>): Promise<A> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not over after ${limitMs / 1000} s`)), limitMs)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const playScenario = async (
  id: CliId,
  { script, retries = 0, home = {}, play }: Scenario,
  shared: Folders | undefined
) => {
  const received: Array<HeardLine> = []
  const lines: Array<string> = []
  const problems: Array<string> = []
  await using stack = new AsyncDisposableStack()
  const api = stack.use(await forCli(id, script))
  const folders = shared ?? stack.use(await makeFolders())
  const command = commandFor(id)
  const values = await writeSurroundings(id, { ...folders, url: api.url, path: pathOf([command]), retries })
  for (const [name, content] of Object.entries(home)) {
    mkdirSync(dirname(join(folders.home, name)), { recursive: true })
    writeFileSync(join(folders.home, name), content)
  }
  const cli = spyOn(id, clis[id], (line, json) => {
    received.push(line)
    lines.push(JSON.stringify(json))
  })
  const layer = AgentRuntime.layer(cli, { command, env: only(values) }).pipe(Layer.provide(nodePlatform))
  const agent = stack.use(makePlainAgent(id, layer))
  const run = async (params = {}) => {
    let sessionId: string | undefined
    for await (const event of agent.execute({ prompt: "go on", workingDirectory: folders.work, ...params })) {
      if (event.type === "done") sessionId = event.result.sessionId
    }
    return sessionId
  }
  // Pi never asks.
  const asking = id === "pi" ? {} : { approvals: [Approvals.allow()] }
  const open = () => agent.open({ workingDirectory: folders.work, ...asking })
  await withinLimit(play({ run, open })).catch((error) => problems.push(messageOf(error)))
  return { heard: received, lines, problems }
}

const record = async (id: CliId, file: string, folder: string) => {
  await enterLoopback()
  mkdirSync(folder, { recursive: true })
  // OpenCode's first start in a fresh home takes long.
  await using shared = id === "opencode" ? await makeFolders() : undefined
  const scenarios: Record<string, ReadonlyArray<HeardLine>> = {}
  const problems: Array<string> = []
  for (const scenario of scenariosOf(id)) {
    const played = await playScenario(id, scenario, shared)
    scenarios[scenario.name] = played.heard
    problems.push(...played.problems.map((problem) => `${scenario.name}: ${problem}`))
    writeFileSync(join(folder, `${scenario.name.replaceAll(/\W+/g, "-")}.ndjson`), `${played.lines.join("\n")}\n`)
  }
  const recorded: Recorded = { scenarios, commands: await commandWordsOf(id), problems }
  writeFileSync(file, JSON.stringify(recorded))
}

const [id, file, folder] = process.argv.slice(2)
if (id === undefined || !(id in clis) || file === undefined || folder === undefined) throw new Error("CLI FILE FOLDER")
await record(id as CliId, file, folder) // looked up above
process.exit(0)
