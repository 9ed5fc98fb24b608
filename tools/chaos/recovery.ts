/** Other events where a host dies: a run of another host, and then the next one or `reins doctor`. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { clis } from "../../src/agents/Agents.ts"
import { createAgent } from "../../src/promise.ts"
import { recoverSettings } from "../../src/system/settings/recover.ts"
import { optionsOf } from "./asking.ts"
import type { Room } from "./room.ts"
import type { Fate, Scenario } from "./scenario.ts"

/** A run of this host in the same directory, with a server of its own if the first run has one. It says nothing. */
const visit = async (scenario: Scenario, room: Room, name: string, ms: number) => {
  const [first] = scenario.runs
  const script = join(room.root, `${name}.json`)
  const actions = [
    { do: "wait", ms },
    { do: "exit", code: 0 }
  ]
  writeFileSync(script, JSON.stringify({ pids: join(room.root, `${name}-pid`), signals: { are: "obeyed" }, actions }))
  const isHealthy = { ...scenario, limits: null, runs: [{ ...first, fault: null }] as const }
  await using agent = createAgent(scenario.cli, optionsOf(isHealthy, room))
  const servers = first.mcpServers > 0 ? { mcpServers: { [name]: { command: "server" } } } : {}
  const env = { CHAOS_SCRIPT: script, HOME: room.home }
  await agent.run({ prompt: "next", workingDirectory: room.work, env, ...servers }).catch(() => {})
}

/** While the child host is there. */
export const visitMeanwhile = async (scenario: Scenario, { neighbourMs }: Fate, room: Room): Promise<void> => {
  if (neighbourMs !== null) await visit(scenario, room, "neighbour", neighbourMs)
}

export const recover = async (scenario: Scenario, fate: Fate, room: Room): Promise<void> => {
  const { settingsPath } = clis[scenario.cli]
  if (settingsPath === undefined) return
  if (fate.recovery === "next run") return visit(scenario, room, "next", 0)
  await Effect.runPromise(recoverSettings(room.work, settingsPath))
}
