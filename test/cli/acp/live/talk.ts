/** Dialogues in a certain state, and lines of an agent, for tables and properties. */

import { genericFlavor } from "../../../../src/cli/acp/index.ts"
import { acpDialogue } from "../../../../src/cli/acp/live/dialogue.ts"
import type { AcpFlavor } from "../../../../src/cli/acp/live/flavor.ts"
import { type Dialogue, isAction, type Output } from "../../../../src/cli/Live.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"

export interface Talk {
  readonly dialogue: Dialogue
}

export const result = (id: number, payload: unknown) => ({ jsonrpc: "2.0", id, result: payload })

export const request = (id: number, method: string, params: unknown) => ({ jsonrpc: "2.0", id, method, params })

export const update = (sessionId: string, payload: unknown) => ({
  jsonrpc: "2.0",
  method: "session/update",
  params: { sessionId, update: payload }
})

interface Written {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

export const printed = (outputs: ReadonlyArray<Output>): ReadonlyArray<Written> =>
  outputs.flatMap((output) => (isAction(output) && output._tag === "Write" ? [output.json as Written] : [])) // ours

/** With a session that is open. */
export const talk = (
  params: AgentOpenParams,
  session: object,
  flavor: AcpFlavor = genericFlavor("x")
): Talk & { readonly dialogue: Dialogue } => {
  const dialogue = acpDialogue(flavor)(params, { workingDirectory: "/work", privateDirectory: "/private" })
  dialogue.open()
  dialogue.push(result(1, { protocolVersion: 1, agentCapabilities: {} }))
  dialogue.push(result(2, session))
  return { dialogue }
}

export const opened = (params: AgentOpenParams = {}, flavor?: AcpFlavor) => talk(params, { sessionId: "s" }, flavor)

/** With a turn under way. */
export const prompted = (params: AgentOpenParams = {}, flavor?: AcpFlavor) => {
  const { dialogue } = opened(params, flavor)
  const id = printed(dialogue.turn("go"))[0]?.id
  return { dialogue, promptId: Number(id) }
}
