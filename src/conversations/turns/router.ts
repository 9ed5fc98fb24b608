/** A message → the CLI that answers it, and what decided; pure. The CLI that was chosen may be unknown: the caller checks. */
import type { ResumeTarget, RouteQuestion, RouteReason } from "../../contract/Route.ts"
import type { ResumeLineOptions } from "./resumeLine.ts"

type FindResumeLine = (text: string, options: ResumeLineOptions) => ResumeTarget | undefined

interface Choice {
  readonly cli: string
  readonly sessionId?: string
  readonly because: RouteReason
}

const resumed = (target: ResumeTarget | undefined, because: RouteReason): Choice | undefined =>
  target && { ...target, because }

/** Undefined where nothing names a CLI. */
export const chooseRoute = (find: FindResumeLine, question: RouteQuestion): Choice | undefined => {
  const { text, reply, directive, conversation = {}, defaults = {} } = question
  const inText = resumed(find(text, { quotes: false }), "text")
  if (inText !== undefined) return inText
  const inReply = reply?.isOurs === true ? resumed(find(reply.text, { quotes: true }), "reply") : undefined
  if (inReply !== undefined) return inReply
  const chosen = {
    directive,
    topic: conversation.topic,
    chat: conversation.chat,
    project: defaults.project,
    global: defaults.global
  } as const
  for (const because of ["directive", "topic", "chat", "project", "global"] as const) {
    const cli = chosen[because]
    if (cli !== undefined) return { cli, because }
  }
  return undefined
}
