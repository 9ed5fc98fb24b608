/** The first request of a live session: which functions of the host Claude Code can call (2.1.328). */
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import { hostServer } from "../../../contract/HostTool.ts"

/** Not the place of a hook. */
export const rulesCallback = "rules"

/**
 * No rule sees what Claude Code does without asking, such as reading a file; so rules that deny are checked in a hook.
 */
export const hasDenials = ({ approvals = [] }: AgentOpenParams) => approvals.some(({ _tag }) => _tag === "Deny")

/** Each hook is called back by its place among the params. */
const hooksOf = (hooks: NonNullable<AgentOpenParams["hooks"]>) => {
  const byEvent: Record<string, Array<unknown>> = {}
  for (const [place, { event, matcher }] of hooks.entries()) {
    const entries = byEvent[event] ?? []
    byEvent[event] = entries
    entries.push({ ...(matcher === undefined ? {} : { matcher }), hookCallbackIds: [`${place}`] })
  }
  return byEvent
}

export const handshake = (params: AgentOpenParams) => {
  const { hooks = [], tools = [] } = params
  const { PreToolUse = [], ...byEvent } = hooksOf(hooks)
  const before = [...(hasDenials(params) ? [{ hookCallbackIds: [rulesCallback] }] : []), ...PreToolUse]
  const all = before.length === 0 ? byEvent : { ...byEvent, PreToolUse: before }
  return {
    subtype: "initialize",
    ...(Object.keys(all).length === 0 ? {} : { hooks: all }),
    ...(tools.length === 0 ? {} : { sdkMcpServers: [hostServer] })
  }
}
