/**
 * Threads of sub-agents (0.169.0). Their events belong to the call that started them, which Codex names only when that call
 * ends; their requests are like those of the session. Events of a thread without a known call are left out.
 */
import { Predicate } from "effect"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { PermissionDenial } from "../../../contract/AgentRunResult.ts"
import type { Output } from "../../Live.ts"
import type { Outputs } from "../../outputs.ts"
import { isSpawn, makeToolCalls, type ToolCalls } from "./items.ts"
import { makeSpeech, type Speech } from "./text.ts"
import { itemReader } from "./transcript.ts"
import type { Place } from "./turns.ts"
import { type Item, readItemEvent, readTurnEvent } from "./wire.ts"

export interface SubAgents {
  /** Observes a call of any thread: those that start sub-agents name their threads. */
  readonly observe: (item: Item) => void
  /** A notification of a thread that is not the session's. */
  readonly notified: (threadId: string, method: string, params: unknown) => Outputs
  /** Returns undefined for a thread that does not belong to a sub-agent. */
  readonly calls: (threadId: string) => ToolCalls | undefined
  /** Its outputs, with the call that started it as parent. */
  readonly under: (threadId: string, outputs: Outputs) => Outputs
  readonly running: () => ReadonlyArray<Place>
  /** Ends open calls: no turn of the session is under way. */
  readonly end: () => { readonly results: Outputs; readonly denials: ReadonlyArray<PermissionDenial> }
}

interface Agent {
  turnId: string | undefined
  readonly calls: ToolCalls
  speech: Speech
  /** Calls already reported as not finished. */
  readonly lost: Set<string>
}

const listOf = (value: unknown) => (Array.isArray(value) ? value.filter(Predicate.isString) : [])

/** The types of calls that can start a sub-agent. */
export const starters: ReadonlySet<string> = new Set(["subAgentActivity", "collabAgentToolCall"])

/** Threads that a call can start; calls that wait for or close threads name them, too. */
const begunBy = (item: Item): ReadonlyArray<string> => {
  if (isSpawn(item)) return listOf([item["agentThreadId"]])
  const begins = item.type === "collabAgentToolCall" && item["tool"] !== "wait" && item["tool"] !== "closeAgent"
  return begins ? listOf(item["receiverThreadIds"]) : []
}

const isOutside = (output: Output) => "type" in output && (output.type === "text" || output.type === "thinking")

const nested = (output: Output, parentToolId: string): Output => {
  if ("type" in output) return { ...output, parentToolId }
  return output._tag === "Asked" ? { ...output, ask: { ...output.ask, parentToolId } } : output
}

export const makeSubAgents = (): SubAgents => {
  const parents = new Map<string, string>()
  const agents = new Map<string, Agent>()

  const agentOf = (threadId: string): Agent => {
    const known = agents.get(threadId)
    if (known !== undefined) return known
    const agent: Agent = { turnId: undefined, calls: makeToolCalls(), speech: makeSpeech(), lost: new Set() }
    agents.set(threadId, agent)
    return agent
  }

  const under = (threadId: string, outputs: Outputs): Outputs => {
    const parent = parents.get(threadId)
    if (parent === undefined) return outputs.filter((output) => !isOutside(output))
    return outputs.map((output) => nested(output, parent))
  }

  return {
    observe: (item) => {
      for (const threadId of begunBy(item)) if (!parents.has(threadId)) parents.set(threadId, item.id)
    },
    notified: (threadId, method, params) => {
      const isTurn = method === "turn/started" || method === "turn/completed"
      const turnId = isTurn ? readTurnEvent(params)?.turn.id : undefined
      if (method === "turn/started" && turnId !== undefined) agentOf(threadId).turnId = turnId
      const agent = agents.get(threadId)
      if (agent === undefined) return []
      if (method === "turn/completed" && agent.turnId === turnId) agent.turnId = undefined
      // Nearly all lines are deltas, which have no item.
      const read = itemReader(method)
      const item = read && readItemEvent(params)?.item
      if (read === undefined || item === undefined || agent.lost.delete(item.id)) return []
      return under(threadId, read(agent, item) ?? [])
    },
    calls: (threadId) => (parents.has(threadId) ? agentOf(threadId) : agents.get(threadId))?.calls,
    under,
    running: () =>
      [...agents].flatMap(([threadId, { turnId }]) => (turnId === undefined ? [] : [{ threadId, turnId }])),
    end: () => {
      const ends = [...agents].map(([threadId, agent]) => {
        const { calls, lost } = agent
        const { results, denials } = calls.end()
        agent.speech = makeSpeech()
        for (const id of results.flatMap(toolIdOf)) lost.add(id)
        return { results: under(threadId, results), denials }
      })
      return { results: ends.flatMap(({ results }) => results), denials: ends.flatMap(({ denials }) => denials) }
    }
  }
}

const toolIdOf = (event: AgentEvent) => (event.type === "tool_result" ? [event.toolId] : [])
