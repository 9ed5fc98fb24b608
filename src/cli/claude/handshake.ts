/** The first request of a live session: which functions of the host Claude Code can call (2.1.328). */
import type { AgentOpenParams } from "../../AgentOpenParams.ts"
import { hostServer } from "../../hostTools.ts"

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

export const handshake = ({ hooks = [], tools = [] }: AgentOpenParams) => ({
  subtype: "initialize",
  ...(hooks.length === 0 ? {} : { hooks: hooksOf(hooks) }),
  ...(tools.length === 0 ? {} : { sdkMcpServers: [hostServer] })
})
