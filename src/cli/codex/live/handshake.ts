/** The first requests to `app-server` (0.169.0), and the `session` events: at the opening, and for changed facts. */
import type { AgentEvent, SessionEvent } from "../../../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import { present } from "../../jsonFields.ts"
import { dynamicTools } from "./hostCalls.ts"
import { modes } from "./modes.ts"
import { type Settings, type Thread, unwanted } from "./wire.ts"

/** Dynamic tools, raw events and ending background commands are experimental. */
export const initialize = {
  clientInfo: { name: "reins", title: "Reins", version: "0.0.0" },
  capabilities: { experimentalApi: true, requestAttestation: false, optOutNotificationMethods: unwanted }
}

/** A resumed thread keeps neither its sandbox nor the settings of the command line. */
export const threadRequest = (params: AgentOpenParams, workingDirectory: string) => {
  const { sessionId, forkSession, model, systemPrompt, appendSystemPrompt, permissionMode = "default" } = params
  const thread = present({
    cwd: workingDirectory,
    model,
    ...modes[permissionMode],
    baseInstructions: systemPrompt,
    developerInstructions: appendSystemPrompt
  })
  if (sessionId !== undefined) {
    const method = forkSession === true ? "thread/fork" : "thread/resume"
    return { method, params: { threadId: sessionId, excludeTurns: true, ...thread } }
  }
  const { tools = [], ephemeral } = params
  const persistence = ephemeral === true ? { ephemeral } : {}
  const offered = tools.length === 0 ? {} : { dynamicTools: dynamicTools(tools) }
  // The raw events show which calls would leave the sandbox.
  return { method: "thread/start", params: { ...thread, ...offered, ...persistence, experimentalRawEvents: true } }
}

/** The permission mode in Codex's words: when it asks, and where commands run. */
const modeWords = (policy: unknown, sandbox: { readonly type?: string | null } | null | undefined) => {
  const words = [typeof policy === "string" ? policy : undefined, sandbox?.type].filter((word) => word != null)
  return words.length === 0 ? {} : { permissionMode: words.join(" ") }
}

export const sessionOf = ({ thread, model, cwd, approvalPolicy, sandbox }: Thread): SessionEvent => ({
  type: "session",
  sessionId: thread.id,
  ...present({ model, workingDirectory: cwd, cliVersion: thread.cliVersion }),
  ...modeWords(approvalPolicy, sandbox)
})

/** All facts of the session, or undefined if none has changed. */
export const resettled = (session: SessionEvent, settings: Settings): SessionEvent | undefined => {
  const { model, approvalPolicy, sandboxPolicy } = settings
  const next = { ...session, ...present({ model }), ...modeWords(approvalPolicy, sandboxPolicy) }
  return next.model !== session.model || next.permissionMode !== session.permissionMode ? next : undefined
}

/** Codex keeps the functions that a thread was started with, and takes no others. */
export const keptTools = ({ sessionId, tools = [] }: AgentOpenParams): ReadonlyArray<AgentEvent> => {
  if (sessionId === undefined || tools.length === 0) return []
  const message = "Codex offers a resumed session the functions of the host that it was started with, and no others"
  return [{ type: "notice", kind: "warning", message }]
}
