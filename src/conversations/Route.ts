/** Which of the four CLIs answers a message, and in which session. Pure, for both doors. */
import { InvalidParams } from "../contract/AgentError.ts"
import type { ResumeTarget, Route, RouteQuestion, RouteReason } from "../contract/Route.ts"
import { cliIds, findResumeLine, knownCli } from "./ResumeLine.ts"
import type { ResumeLineOptions } from "./turns/resumeLine.ts"

// A message → the CLI that answers it, and what decided; pure. The CLI that was chosen may be unknown: the caller
// checks.

type FindResumeLine = (text: string, options: ResumeLineOptions) => ResumeTarget | undefined

interface Choice {
  readonly cli: string
  readonly sessionId?: string
  readonly because: RouteReason
}

const resumed = (target: ResumeTarget | undefined, because: RouteReason): Choice | undefined =>
  target && { ...target, because }

/** Undefined where nothing names a CLI. */
const chooseRoute = (find: FindResumeLine, question: RouteQuestion): Choice | undefined => {
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

const optionOf: Readonly<Record<RouteReason, string>> = {
  text: "text",
  reply: "reply",
  directive: "directive",
  topic: "conversation.topic",
  chat: "conversation.chat",
  project: "defaults.project",
  global: "defaults.global"
}

/**
 * The first that is present of: a resume line of the message, a resume line of our message that it replies to, the
 * directive, the choice of the topic, the choice of the chat, the default of the project, the global default. Throws
 * `InvalidParams` if that is not one of the four CLIs, or if none is present; the message lists the four.
 */
export const route = (question: RouteQuestion): Route => {
  const choice = chooseRoute(findResumeLine, question)
  if (choice !== undefined) return { ...choice, cli: knownCli(choice.cli, optionOf[choice.because]) }
  throw new InvalidParams({ option: "defaults.global", problem: `is missing: name one of ${cliIds.join(", ")}` })
}
