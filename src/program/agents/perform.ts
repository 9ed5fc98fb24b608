/** Looks for the programs of all named agents, and prints the list. Loaded only by `reins agents`. */
import { delimiter } from "node:path"
import { Console, Effect, type Option } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { findProgram } from "../../api/doctor/examineAcp.ts"
import { acpAgents } from "../../cli/acp/agents.ts"
import { acpAgentIds, type KnownAgentId } from "../../contract/CliSupport.ts"
import type { Configuration } from "../../contract/Configuration.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import { chosenAgent, cliIds } from "../chosenAgent.ts"
import { readConfig } from "../configured.ts"
import { badUsage, failWith } from "../exit.ts"
import { padEnd, widest } from "../format.ts"
import { marks, paint, type Surface } from "../style.ts"

export interface ListedAgent {
  /** The name for `--agent`. */
  readonly agent: KnownAgentId
  /** For people. */
  readonly name: string
  /** How it is spoken with: the CLI's own wire, or the Agent Client Protocol. */
  readonly kind: "cli" | "acp"
  /** The program: a name on PATH, or a path. */
  readonly command: string
  /** Absent if the program was not found. */
  readonly path?: string
  /** Absent if the program gives none that can be read. */
  readonly version?: string
  readonly install: string
  readonly signIn: string
}

const names = { claude: "Claude Code", gemini: "Gemini CLI", codex: "Codex", opencode: "OpenCode", pi: "Pi" }

const known = (configuration: Configuration): ReadonlyArray<ListedAgent> => {
  const fact = (agent: KnownAgentId, name: string, kind: ListedAgent["kind"]): ListedAgent => {
    const { command, install, signIn } = chosenAgent(agent).cli
    return { agent, name, kind, command: configuration.agents[agent]?.command ?? command, install, signIn }
  }
  return [
    ...cliIds.map((id) => fact(id, names[id], "cli")),
    ...acpAgentIds.map((id) => fact(id, acpAgents[id].name, "acp"))
  ]
}

/** Installed ones first; pure. */
export const agentLines = (surface: Surface, all: ReadonlyArray<ListedAgent>): ReadonlyArray<string> => {
  const installed = all.filter(({ path }) => path !== undefined)
  const missing = all.filter(({ path }) => path === undefined)
  const width = widest(all.map(({ agent }) => agent))
  const row = (mark: string, { agent }: ListedAgent, text: string) =>
    `${mark} ${paint(surface, "bold", padEnd(agent, width))}  ${text}`
  const ok = paint(surface, "green", marks.ok)
  return [
    ...installed.map((one) =>
      row(ok, one, `${one.name}, ${one.version === undefined ? "version not known" : harmless(one.version)}`)
    ),
    ...missing.map((one) =>
      row(paint(surface, "dim", marks.notice), one, `${one.name}; to install: ${paint(surface, "dim", one.install)}`)
    ),
    "",
    installed.length === 0
      ? "None is installed. Without one: reins demo"
      : `Run one: reins run --agent ${installed[0]?.agent} "…"`
  ]
}

interface AgentsInput {
  readonly json: boolean
  readonly config: Option.Option<string>
}

export const listAgents = Effect.fn(...untraced("Agents.listAgents"))(function* ({ json, config }: AgentsInput) {
  const configuration = yield* Effect.matchEffect(readConfig(config), {
    onSuccess: Effect.succeed,
    onFailure: ({ message }) => failWith(message, badUsage)
  })
  const host = yield* HostEnvironment
  const directories = (host["PATH"] ?? "").split(delimiter)
  const agents = yield* Effect.forEach(
    known(configuration),
    (one) => Effect.map(findProgram(one.command, directories), (found): ListedAgent => ({ ...one, ...found })),
    { concurrency: 4 }
  )
  if (json) return yield* Console.log(JSON.stringify({ agents }, null, 2))
  const { canAnimate, canColor } = yield* TerminalCapabilities.TerminalCapabilities
  yield* Console.log(agentLines({ live: canAnimate && canColor, columns: 80 }, agents).join("\n"))
})
