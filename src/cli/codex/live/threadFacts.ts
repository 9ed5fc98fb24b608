/** The facts of the session's thread: one event when it is opened, and one whenever a fact has changed. */
import { AgentFailed } from "../../../contract/AgentError.ts"
import type { SessionEvent } from "../../../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import { keptTools, modeWords, sessionOf } from "./handshake.ts"
import type { Outputs } from "./openRequests.ts"
import * as Wire from "./wire.ts"

export const failed = (reason: AgentFailed): Outputs => [{ _tag: "Failed", reason }]

export const protocolFailure = (code: string, detail: string): Outputs =>
  failed(new AgentFailed({ code, category: "protocol", detail }))

export const makeThreadFacts = (params: AgentOpenParams) => {
  let session: SessionEvent | undefined

  return {
    /** Empty until it is opened. */
    id: () => session?.sessionId ?? "",
    isOpen: () => session !== undefined,
    opened: (result: unknown): Outputs => {
      const thread = Wire.readThread(result)
      if (thread === undefined) return protocolFailure("no_thread", "Codex opened a thread without an id")
      session = sessionOf(thread)
      return [session, ...keptTools(params), { _tag: "Opened" }]
    },
    /** A changed fact is repeated together with all the others. */
    resettled: (given: unknown): Outputs | undefined => {
      const settings = Wire.readSettings(given)?.threadSettings
      if (settings === undefined || session === undefined) return undefined
      const { model, approvalPolicy, sandboxPolicy } = settings
      const next = { ...session, ...(model == null ? {} : { model }), ...modeWords(approvalPolicy, sandboxPolicy) }
      const isNew = next.model !== session.model || next.permissionMode !== session.permissionMode
      session = next
      return isNew ? [next] : []
    }
  }
}
