/** What comes after a host that died: the next run in its directory, or `reins doctor`. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { clis } from "../../src/agents.ts"
import { createAgent } from "../../src/promise.ts"
import { recoverSettings } from "../../src/settings/recover.ts"
import { optionsOf } from "./asking.ts"
import { pidsFile, type Room, stepMark } from "./room.ts"
import type { Fate, Scenario } from "./scenario.ts"

const nextRun = async (scenario: Scenario, room: Room) => {
  const script = join(room.root, "next.json")
  const actions = [{ do: "exit", code: 0 }]
  writeFileSync(
    script,
    JSON.stringify({ pids: pidsFile(room, scenario.runs.length), signals: { are: "obeyed" }, actions })
  )
  const [{ mcpServers, fault: _ }] = scenario.runs
  await using agent = createAgent(scenario.cli, {
    ...optionsOf({ ...scenario, runs: [{ ...scenario.runs[0], fault: null }] }, room)
  })
  const servers = mcpServers > 0 ? { mcpServers: { next: { command: "server" } } } : {}
  const env = { CHAOS_SCRIPT: script, [stepMark]: room.mark, HOME: room.home }
  // Its program says nothing, so that it fails.
  await agent.run({ prompt: "next", workingDirectory: room.work, env, ...servers }).catch(() => {})
}

export const recover = async (scenario: Scenario, fate: Fate, room: Room): Promise<void> => {
  const { settingsPath } = clis[scenario.cli]
  if (settingsPath === undefined) return
  if (fate.recovery === "next run") return nextRun(scenario, room)
  await Effect.runPromise(recoverSettings(room.work, settingsPath).pipe(Effect.provide(NodeServices.layer)))
}
