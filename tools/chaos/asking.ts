/** A drawn run → what the agent is asked, the same in this process and in a child host. */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Redacted } from "effect"
import { clis } from "../../src/agents/Agents.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import { expectationOf } from "./expectation.ts"
import { recordingOf } from "./recordings.ts"
import { type Room, recordFile, scriptFile, sessionOf, stepMark } from "./room.ts"
import type { Broken, RunPlan, Scenario } from "./scenario.ts"
import { maxLineBytes } from "./script.ts"

const program = fileURLToPath(new URL("../../fixtures/programs/misbehaves.mjs", import.meta.url))

const brokenOf = ({ runs }: Scenario): Broken | undefined => {
  const { fault } = runs[0]
  return fault?.is === "broken" ? fault.what : undefined
}

export const optionsOf = (scenario: Scenario, room: Room): AgentOptions => {
  const broken = brokenOf(scenario)
  const command =
    broken === "command" ? "/no/such/program" : broken === "not executable" ? scriptFile(room, 0) : process.execPath
  const { perCli, staggerMs, maxWaitMs } = scenario.limits ?? {}
  const limits = { perCli, stagger: staggerMs, maxWait: maxWaitMs }
  return { command, baseArgs: [program], killGrace: scenario.killGraceMs, limits, maxLineBytes }
}

const serversOf = (index: number, count: number): NonNullable<AgentExecuteParams["mcpServers"]> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, nth) => [
      `chaos-${index}-${nth + 1}`,
      nth === 0
        ? { command: "server", args: ["--of", String(index)], env: { TOKEN: Redacted.make(`token-of-${index}`) } }
        : { url: "http://127.0.0.1:9/mcp", headers: { "X-Key": `header-of-${index}` } }
    ])
  )

const brokenParams = ({ cli }: Scenario, room: Room, broken: Broken | undefined): Partial<AgentExecuteParams> => {
  if (broken === "directory") return { workingDirectory: join(room.root, "no-such-directory") }
  if (broken === "option")
    return clis[cli].supports.has("maxBudgetUsd") ? ({ newOption: 1 } as object) : { maxBudgetUsd: 1 }
  if (broken === "argument") return { extraArgs: ["--chaos=\0"] }
  if (broken === "long argument") return { extraArgs: [`--chaos=${"l".repeat(200_000)}`] }
  return broken === "record" ? { record: join(room.root, "no-such-directory", "record.ndjson") } : {}
}

/** In the form that each CLI gives its ids. */
/** Without its signal. */
export const paramsOf = (scenario: Scenario, run: RunPlan, index: number, room: Room): AgentExecuteParams => {
  const { cli } = scenario
  const input = recordingOf(cli, run.program.recording).params
  const params: AgentExecuteParams = {
    ...input,
    prompt: "p".repeat(run.promptBytes),
    workingDirectory: room.work,
    env: { CHAOS_SCRIPT: scriptFile(room, index), [stepMark]: room.mark, HOME: room.home },
    ...(run.systemPromptBytes > 0 ? { systemPrompt: "s".repeat(run.systemPromptBytes) } : {}),
    ...(run.mcpServers > 0 ? { mcpServers: serversOf(index, run.mcpServers) } : {}),
    ...(run.mcpServers > 1 && clis[cli].supports.has("maxTurns") ? { maxTurns: 7 } : {}),
    ...(run.resumes ? { sessionId: sessionOf(cli, room) } : {}),
    ...(run.records ? { record: recordFile(room, index) } : {}),
    ...brokenParams(scenario, room, run.fault?.is === "broken" ? run.fault.what : undefined)
  }
  return { ...params, timeouts: expectationOf(scenario, run, params).timeouts }
}
